// Package codexsandbox runs commands in the sandbox of the Codex CLI, under an account: `codex sandbox` as a typed call that is the same
// for every release of codex.
//
// A [Client] is bound to an account, a [Request] says what to run, a [Run] is the outcome.
//
// By default a command may read all that its user may, write nothing and reach no network. With [Request.FullAuto] it may also write its
// working directory and the temporary directories. No setting in config.toml changes that.
//
// No shell is between the caller and codex, nor between codex and the command. Native Windows is not supported yet.
package codexsandbox
