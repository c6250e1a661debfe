package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// What go test -json says of packages: one whose tests pass or are left out; one that fails, also for a test that skips itself though
// nothing asked for that; one without tests; and one that does not build.
const said = `{"Action":"output","Package":"swop/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"pass","Package":"swop/a","Test":"TestGood"}
{"Action":"output","Package":"swop/a","Test":"TestShell/zsh","Output":"    shell_test.go:7: left out: needs zsh\n"}
{"Action":"skip","Package":"swop/a","Test":"TestShell/zsh"}
{"Action":"output","Package":"swop/a","Test":"TestScripts/one","Output":"x.go:1: left out: needs zsh\n> [without:man] skip 'left out: needs man'\n> [without:zsh] skip 'left out: needs zsh'\n"}
{"Action":"skip","Package":"swop/a","Test":"TestScripts/one"}
{"Action":"output","Package":"swop/a","Test":"TestScripts/two","Output":"> [without:man] stop 'left out: needs man'\n"}
{"Action":"pass","Package":"swop/a","Test":"TestScripts/two"}
{"Action":"output","Package":"swop/a","Test":"TestScripts/three","Output":"> [without:man] stop 'left out: needs man'\nstop: left out: needs man\n"}
{"Action":"pass","Package":"swop/a","Test":"TestScripts/three"}
{"Action":"pass","Package":"swop/a","Elapsed":1.25}
{"Action":"output","Package":"swop/b","Test":"TestBad","Output":"    bad_test.go:3: 1, want 2\n"}
{"Action":"fail","Package":"swop/b","Test":"TestBad"}
{"Action":"output","Package":"swop/b","Test":"TestHangs","Output":"panic: test timed out\n"}
{"Action":"output","Package":"swop/b","Output":"FAIL\n"}
{"Action":"output","Package":"swop/b","Output":"exit status 1\n"}
{"Action":"output","Package":"swop/b","Output":"FAIL\tswop/b\t2.00s\n"}
{"Action":"fail","Package":"swop/b","Elapsed":2}
{"Action":"output","Package":"swop/b","Test":"TestX","Output":"no network here\n"}
{"Action":"skip","Package":"swop/b","Test":"TestX"}
{"Action":"skip","Package":"swop/c","Elapsed":0}
{"Action":"fail","Package":"swop/d"}
go: a word that is no event
`

func TestCounts(t *testing.T) {
	var shown bytes.Buffer
	n := newCounts(&shown)
	testhome.NoError(t, n.read(strings.NewReader(said)))
	const want = `left out:    2 needs zsh
left out:    1 needs man, for a part of the test
3 passed, 2 failed, 2 left out, in 1m30s
skipped, which nothing asked for: swop/b.TestX
failed: swop/b.TestBad
failed: swop/b
failed: swop/d
`
	if got := n.summary(90 * time.Second); got != want {
		t.Errorf("summary\n%swant\n%s", got, want)
	}
	const screen = `ok    swop/a                                  1.2s
    bad_test.go:3: 1, want 2
exit status 1
panic: test timed out
FAIL  swop/b                                  2.0s
no network here
FAIL  swop/d                                  0.0s
go: a word that is no event
`
	if got := shown.String(); got != screen {
		t.Errorf("shown\n%swant\n%s", got, screen)
	}
}
