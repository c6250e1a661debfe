// Package projection makes a sandbox show the shared homes: it repairs the links, and brings back what programs made or replaced in a
// session. docs/codex-home.md says what the real Codex does to its home.
package projection
