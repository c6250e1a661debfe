// Package shim is what happens at a call of codex: it finds out who calls, chooses the account, makes its sandbox whole, finds the
// real codex and execs it. Every call pays for what is linked here.
package shim
