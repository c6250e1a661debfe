// Package continuation knows how a call of codex exec goes on with its session: what its arguments were, and what it said of itself. It
// knows no account.
package continuation
