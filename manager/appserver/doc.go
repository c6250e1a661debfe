// Package appserver asks and stops codex's background server of one account.
package appserver
