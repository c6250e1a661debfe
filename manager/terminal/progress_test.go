//go:build unix

package terminal

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"swop/say"
)

func TestProgress(t *testing.T) {
	const text = `swop: linking 120 of 5000 entries into the account "work"`
	for _, tt := range []struct {
		columns int
		want    string
	}{
		{80, "\rswop: preparing the account \"work\"\x1b[K\r" + text + "\x1b[K\r\x1b[Kswop: two\n\r" + text + "\x1b[K\r\x1b[K"},
		{20, "\rswop: preparing th…\x1b[K\rswop: linking 120 …\x1b[K\r\x1b[Kswop: two\n\rswop: linking 120 …\x1b[K\r\x1b[K"},
		{1, "\r…\x1b[K\r…\x1b[K\r\x1b[Kswop: two\n\r…\x1b[K\r\x1b[K"},
	} {
		var out strings.Builder
		p := testProgress(&out, tt.columns)
		p.draw()
		p.Set(text[len("swop: "):])
		p.draw()
		say.Line(p, "%s", "two")
		p.draw()
		p.End()
		p.draw()
		if out.String() != tt.want {
			t.Errorf("%d columns are given\n%q, want\n%q", tt.columns, out.String(), tt.want)
		}
	}
}

// testProgress is drawn by nobody but the test.
func testProgress(out io.Writer, columns int) *Progress {
	p := &Progress{out: out, text: `preparing the account "work"`, columns: func() int { return columns }}
	p.timer = time.AfterFunc(time.Hour, func() {})
	return p
}

// A line that cannot be erased is printed once, and one that was not drawn is not erased.
func TestProgressOfDumbTerminal(t *testing.T) {
	var out strings.Builder
	p := testProgress(&out, 0)
	say.Line(p, "one")
	p.draw()
	p.End()
	if want := "swop: one\nswop: preparing the account \"work\", which takes a moment\n"; out.String() != want || p.timer.Stop() {
		t.Errorf("a dumb terminal is given %q, want %q", out.String(), want)
	}
}

// Nothing is shown of what is done within a second, then each step is; by the clock of the test.
func TestProgressBegins(t *testing.T) {
	for after, want := range map[time.Duration]bool{0: false, progressAfter - 1: false, progressAfter + 1: true} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			p := &Progress{out: &out, columns: func() int { return 80 }, text: "preparing"}
			p.begin()
			time.Sleep(after)
			p.End()
			time.Sleep(time.Minute)
			if drawn := strings.Contains(out.String(), "swop: "); drawn != want || !drawn && out.Len() > 0 {
				t.Errorf("a start that takes %v shows %q, want any: %v", after, out.String(), want)
			}
		})
	}
}
