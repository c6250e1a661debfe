// Package disk acts on files: open directories whose entries are changed by name, atomic writes, renames that do not replace. It knows
// nothing of accounts.
package disk
