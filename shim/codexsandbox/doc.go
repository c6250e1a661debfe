// Package codexsandbox runs commands inside the sandbox that the Codex CLI provides, under an account: `codex sandbox` as a typed call
// that stays the same whatever the release of codex underneath calls it.
//
// A [Client] is bound to an account, a [Request] says what to run, a [Run] is what came of it:
//
//	client := &codexsandbox.Client{Account: "work", Env: os.Environ(), Now: time.Now}
//	run, err := client.Run(ctx, codexsandbox.Request{Command: []string{"go", "test", "./..."}, FullAuto: true})
//
// By default a command may read all that its user may, write nothing and reach no network. With [Request.FullAuto] it may write its
// working directory and the temporary directories, too. Both hold whatever config.toml says.
//
// No shell is between the caller and codex, nor between codex and the command. On native Windows nothing runs yet.
package codexsandbox
