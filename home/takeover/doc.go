// Package takeover makes an account of another codex home: it moves the login and the transcripts into the account's sandbox, from where the next
// reconcile of package mirror shares what the account shares.
package takeover
