// Package confine says what a confined session may see and write, and makes the operating system's sandbox for it: codex and all that it
// starts run inside. What it plans is pure; what it makes lies in the account's own directory. Package session runs it.
package confine
