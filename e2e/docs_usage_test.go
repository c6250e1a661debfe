//go:build linux

package e2e

import (
	"flag"
	"html"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/e2e/chatgpt"
	"swop/e2e/realcodex"
)

// usagePictureFile is where the picture of docs/usage.md is drawn again:
//
//	go test ./e2e -run '^TestUsagePicture$' -usage-picture ../docs/usage.svg
//
// Without the flag the test compares its words with what the programs show now, but for the times.
var usagePictureFile = flag.String("usage-picture", "", "draw the picture of docs/usage.md into this `file`")

// newUsageReader makes a user with a login of ChatGPT for personal, which has much left, and one for work, which has little.
func newUsageReader(t *testing.T) members {
	t.Helper()
	m := newTrial(t, release{version: realcodex.Version}).openMembers()
	now := time.Now()
	for n, label := range []string{"personal", "work"} {
		m.join(label, n+1)
		m.openAI.SetLimits(n+1, chatgpt.Limits{Short: 96 * n, Long: 2 + 38*n, Resets: now.Add(time.Hour), Week: now.AddDate(0, 0, 2+n)})
	}
	m.usage() // which takes the time it needs; what readers type shows this answer
	return m
}

func TestDocsUsage(t *testing.T) {
	m := newUsageReader(t)
	m.ok(m.swop("use", "work"))
	m.follow("docs/usage.md", tally{run: 5, notRun: 1})
}

func TestUsagePicture(t *testing.T) {
	m := newUsageReader(t)
	m.add("ci", workLogin)
	w := m.openTerminal("bash --norc -i", `PS1=\[\e[1;34m\]\w $\[\e[0m\] `)
	w.tmux("resize-window", "-x", "115", "-y", "30")
	w.prompts("~/work $", 1)
	for i, s := range []struct{ command, shows string }{
		{"codex swop usage", "4 % left, resets"},
		{"codex swop use work && codex swop which --short", "work\n"},
		{"codex swop use auto && codex swop which --short", "personal\n"},
	} {
		w.ask(s.command)
		w.prompts("~/work $", i+2)
		w.await(s.shows)
	}
	svg := drawing(t, "what is left of each account's limits, in a terminal", w, *usagePictureFile)
	old, err := os.ReadFile("../docs/usage.svg")
	if err != nil {
		t.Fatal(err)
	}
	if was, is := picturedWords(string(old)), picturedWords(svg); !slices.Equal(was, is) {
		t.Errorf("docs/usage.svg shows\n%q\nthe programs show\n%q\nDraw it again, and look at it:\n"+
			"\tgo test ./e2e -run '^TestUsagePicture$' -usage-picture ../docs/usage.svg", was, is)
	}
}

// picturedWords returns the words that a picture shows, in their order, with the times left out.
func picturedWords(svg string) []string {
	var text strings.Builder
	for _, m := range regexp.MustCompile(`<text [^>]*>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		text.WriteString(html.UnescapeString(m[1]) + " ")
	}
	times := regexp.MustCompile(`resets (at|on( \w+)+) \d\d:\d\d`)
	return strings.Fields(times.ReplaceAllString(text.String(), "resets …"))
}
