// Package continuation continues the session of a codex exec: it parses the arguments, and watches the output for the session's ID. It
// knows no account.
package continuation
