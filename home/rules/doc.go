// Package rules tells whether anything changed since an account's links were last repaired. It holds the table of rules, too, on which
// that depends.
package rules
