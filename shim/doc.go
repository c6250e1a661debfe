// Package shim, swop's own, is what happens at a call of codex: it chooses the account, sees that its sandbox is complete, finds the real
// codex and starts it in its own process. Every call pays for what is linked here: package session does what must be repaired or said.
package shim
