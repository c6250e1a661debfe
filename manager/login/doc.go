// Package login reads what may be shown of an account's login, and what codex's configuration demands of it.
package login
