// Package appserver stops the background server that codex runs for an account, and asks it before whether it runs a turn.
package appserver
