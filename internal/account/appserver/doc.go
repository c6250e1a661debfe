// Package appserver stops the background server that codex runs for an account. It first asks the server whether it runs a turn.
package appserver
