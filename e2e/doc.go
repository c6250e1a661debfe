// Package e2e proves swop with the real Codex CLI: its own login, transcripts, terminal interface and background server.
//
// Nothing leaves the machine but npm's installation of codex, once: the model is package responses on loopback. Every
// test has a user of its own, with a fresh HOME, and leaves no process. Run it with
//
//	go test ./e2e
//
// which takes four releases of codex. All ten, and the table docs/matrix.md of what holds with which, are
//
//	go test ./e2e -run '^TestMatrix$' -v -matrix ../docs/matrix.md
//
// It needs npm, node and tmux; go test -short skips it. SWOP_TEST_CODEX_CACHE names the directory that keeps the
// installed releases of codex, by default swop-test in the user's cache directory.
package e2e
