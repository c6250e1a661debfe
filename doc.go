// Package swop holds the scripts that test the two programs as a whole; see testdata/script. The programs are in shim/codex and
// manager/codex-swop.
package swop
