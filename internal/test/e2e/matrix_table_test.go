//go:build linux

package e2e

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// table is the outcome in Markdown, releases down, checks across.
func (m *matrix) table(run []release) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s strings.Builder
	s.WriteString("| release |")
	for _, c := range checks {
		s.WriteString(" " + c.name + " |")
	}
	s.WriteString("\n|---|" + strings.Repeat(":-:|", len(checks)) + "\n")
	for _, r := range run {
		fmt.Fprintf(&s, "| %s |", r.version)
		for _, c := range checks {
			outcome, ok := m.cells[cell{r.version, c.name}]
			if !ok {
				outcome = "not run"
			}
			s.WriteString(" " + outcome + " |")
		}
		s.WriteString("\n")
	}
	return s.String()
}

// reasons explains each – of the table.
func reasons(run []release) string {
	var s strings.Builder
	for _, r := range run {
		for _, c := range checks {
			if why := c.why(r); why != "" {
				fmt.Fprintf(&s, "- %s, %s: %s\n", r.version, c.name, why)
			}
		}
	}
	return s.String()
}

func meanings() string {
	var s strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&s, "- **%s**: %s\n", c.name, c.says)
	}
	return s.String()
}

// write keeps the table where file says, relative to this directory.
func (m *matrix) write(t *testing.T, file string, run []release) {
	text := fmt.Sprintf(`# swop with real releases of codex

Made on %s, %s, by

    go test ./internal/test/e2e -run '^TestMatrix$' -v -matrix ../../../docs/evidence/matrix.md

which installs each release from npm once and runs it against a Responses server on loopback. go test without -matrix runs
%s of them. ✓ holds, ✗ fails, – the release cannot do it.

%s
## Why –

%s
## What is checked

%s`, time.Now().UTC().Format(time.DateOnly), runtime.GOOS+"/"+runtime.GOARCH, usual(), m.table(run), reasons(run), meanings())
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// usual names the releases that every run tests.
func usual() string {
	var names []string
	for _, r := range releases {
		if r.always {
			names = append(names, r.version)
		}
	}
	return strings.Join(names, ", ")
}

// TestMatrixKept checks that docs/evidence/matrix.md has these releases and checks, and that nothing in it failed.
func TestMatrixKept(t *testing.T) {
	text := readText(t, "../../../docs/evidence/matrix.md")
	good := matrix{cells: map[cell]string{}}
	for _, r := range releases {
		for _, c := range checks {
			good.note(r, c, passed)
			if c.why(r) != "" {
				good.note(r, c, lacked)
			}
		}
	}
	if want := good.table(releases); !strings.Contains(text, want) {
		t.Errorf("docs/evidence/matrix.md is not of these releases and checks, or something failed; make it again. Want in it:\n%s", want)
	}
	if want := reasons(releases) + "\n## What is checked\n\n" + meanings(); !strings.HasSuffix(text, want) {
		t.Errorf("docs/evidence/matrix.md explains other checks; make it again. Want at its end:\n%s", want)
	}
}
