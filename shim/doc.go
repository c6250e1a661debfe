// Package shim, swop's own, is a call of codex: it chooses the account, checks that its sandbox is complete, finds the real codex and execs
// it. Every call pays for the packages that shim links: package session repairs and says what is needed.
package shim
