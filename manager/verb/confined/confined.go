// Package confined has the verbs of confined sessions: what they may do, what they ask for, their bridges.
package confined

// GitWrite says what git = "write" means.
const GitWrite = "sessions can write .git: what they put there, as hooks, git runs outside"
