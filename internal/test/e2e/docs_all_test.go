//go:build linux

package e2e

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testhome"
)

// followed are the pages whose commands a test runs, by the test.
var followed = map[string]string{
	"README.md":                "TestREADME",
	"docs/shell-prompt.md":     "TestDocsPrompt",
	"docs/directories.md":      "TestDocsDirectories",
	"docs/ci.md":               "TestDocsCI",
	"docs/editors.md":          "TestDocsEditors",
	"docs/cron.md":             "TestDocsCron",
	"docs/path.md":             "TestDocsPath",
	"docs/history.md":          "TestDocsHistory",
	"docs/usage.md":            "TestDocsUsage",
	"docs/confinement.md":      "TestDocsConfinement",
	"docs/sandbox.md":          "TestDocsSandbox",
	"docs/several-machines.md": "TestDocsSeveralMachines",
}

// notRun counts the blocks of other pages that are marked not-run, with the reason.
var notRun = map[string]int{
	"CONTRIBUTING.md": 1, // the four commands, which are .ci/run and parts of it
	"docs/bridge.md":  1, // needs a service and a program on the host; testdata/script/bridge_*.txtar runs forms of them
}

// pages are all for readers.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"../../../*.md", "../../../docs/*.md", "../../../docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		testhome.NoError(t, err)
		for _, file := range files {
			all = append(all, strings.TrimPrefix(file, "../../../"))
		}
	}
	for page := range followed {
		if !slices.Contains(all, page) {
			t.Errorf("%s is missing", page)
		}
	}
	return all
}

// Every command of every page is run, or marked not-run and counted.
func TestDocsAreRun(t *testing.T) {
	for _, page := range pages(t) {
		if followed[page] != "" {
			continue
		}
		marked := 0
		for _, b := range readPage(t, page) {
			switch {
			case b.target == "not-run":
				marked++
			case b.language != "text" && runners()[b.language] != nil:
				t.Errorf("%s:%d: commands that no test runs; follow the page in a test, or mark them: ```%s not-run", page, b.line, b.language)
			}
		}
		if want := notRun[page]; marked != want {
			t.Errorf("%s has %d blocks marked not-run, want %d", page, marked, want)
		}
	}
}

// Every piece of config.toml and selector.toml on a page is one that swop reads.
func TestDocsConfiguration(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		for _, b := range readPage(t, page) {
			if b.language != "toml" {
				continue
			}
			found++
			places := config.Places{Config: t.TempDir()}
			name := "config.toml"
			if filepath.Base(b.target) == "selector.toml" {
				name = "selector.toml"
			}
			testhome.PutText(t, filepath.Join(places.Config, name), b.text)
			_, err := config.ReadSettings(places)
			_, of := config.ReadSelector(places)
			if err := errors.Join(err, of); err != nil {
				t.Errorf("%s:%d: %v", page, b.line, err)
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d blocks of toml, want more: the pages have another form", found)
	}
}

func testLines(t *testing.T) string {
	lines, err := exec.Command("grep", "-ro", "--include=*_test.go", "^func Test[A-Za-z]*(", "../../..").Output()
	testhome.NoError(t, err)
	return string(lines)
}

// What a page links to within the repository exists, and the tests that it names.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	found := 0
	for _, page := range pages(t) {
		text := testhome.TextOf(filepath.Join("../../..", page))
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join("../../..", filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
		for _, name := range regexp.MustCompile(`\bTest[A-Z]\w*`).FindAllString(text, -1) {
			if !strings.Contains(testLines(t), "func "+name+"(") {
				t.Errorf("%s names %s, which is no test", page, name)
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d links, want more: the test looks for another form than the pages have", found)
	}
}

// The map names every page of docs once.
func TestDocsMap(t *testing.T) {
	text := testhome.TextOf("../../../docs/README.md")
	for _, page := range pages(t) {
		name, inDocs := strings.CutPrefix(page, "docs/")
		if !inDocs || strings.Contains(name, "/") || name == "README.md" {
			continue
		}
		if n := strings.Count(text, "]("+name+")"); n != 1 {
			t.Errorf("docs/README.md names %s %d times, want once", name, n)
		}
	}
}

// The commands inside CONTRIBUTING.md's sentences name tests and flags that exist.
func TestContributing(t *testing.T) {
	text := testhome.TextOf("../../../CONTRIBUTING.md")
	commands := regexp.MustCompile("`go test ./internal/test/e2e -run '\\^(\\w+)\\$'(?: -v)? -([a-z-]+)[^`]*`").FindAllStringSubmatch(text, -1)
	if len(commands) != 2 {
		t.Errorf("found the commands %q, want two", commands)
	}
	for _, m := range commands {
		if flag.Lookup(m[2]) == nil || !regexp.MustCompile(`/e2e/\w+_test\.go:func `+m[1]+`\(`).MatchString(testLines(t)) {
			t.Errorf("%s: there is no such flag or test", m[0])
		}
	}
}
