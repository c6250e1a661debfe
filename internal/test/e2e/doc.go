// Package e2e tests swop with the real Codex CLI: its own login, transcripts, terminal interface and background server.
//
// The network is used only by npm, which installs codex once: the model is package responses on loopback. Every test has its own user,
// with a new HOME, and leaves no process. Run it with
//
//	go test ./internal/test/e2e
//
// which runs the matrix with three releases of codex, and single tests with others. With -complete, as .ci/nightly runs it, it tries each
// kind of release and shell where the ordinary run tries some.
//
// It needs npm, node, tmux and the other programs of package testprogram; ./test.sh leaves out what needs a program that is missing.
// SWOP_TEST_CODEX_CACHE names the directory that keeps the installed releases of codex, by default swop-test in the user's
// cache directory.
package e2e
