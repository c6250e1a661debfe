// Package manager keeps the accounts on disk: it creates, lists, renames and removes sandboxes, and makes each sandbox's
// projection of the shared homes whole. See docs/codex-home.md for what the real Codex does to its home.
package manager
