//go:build linux

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// followed are the pages whose commands a test runs, by the test.
var followed = map[string]string{
	"README.md":            "TestREADME",
	"docs/shell-prompt.md": "TestDocsPrompt",
	"docs/directories.md":  "TestDocsDirectories",
	"docs/ci.md":           "TestDocsCI",
	"docs/editors.md":      "TestDocsEditors",
	"docs/cron.md":         "TestDocsCron",
}

// notRun counts the blocks of all other pages that are marked as not to be run: the four commands of CONTRIBUTING.md, which are .ci/run
// and parts of it.
const notRun = 1

// pages are all for readers.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			all = append(all, strings.TrimPrefix(file, "../"))
		}
	}
	for page := range followed {
		if !slices.Contains(all, page) {
			t.Errorf("there is no %s", page)
		}
	}
	return all
}

// Every command of every page is run, or marked as not to be, and counted.
func TestDocsAreRun(t *testing.T) {
	marked := 0
	for _, page := range pages(t) {
		if followed[page] != "" {
			continue
		}
		for _, b := range readPage(t, page) {
			switch {
			case b.target == "not-run":
				marked++
			case runners()[b.language] != nil:
				t.Errorf("%s:%d: commands that no test runs", page, b.line)
			}
		}
	}
	if marked != notRun {
		t.Errorf("%d blocks are marked not-run, want %d", marked, notRun)
	}
}

// The commands inside CONTRIBUTING.md's sentences name tests and flags that exist.
func TestContributing(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("`go test ./e2e -run '\\^(\\w+)\\$'(?: -v)? -([a-z-]+)[^`]*`").FindAllStringSubmatch(string(text), -1)
	if len(commands) != 3 {
		t.Errorf("found the commands %q, want three", commands)
	}
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range commands {
		defines := func(file string) bool {
			source, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(source), "\nfunc "+m[1]+"(t *testing.T) {")
		}
		if flag.Lookup(m[2]) == nil || !slices.ContainsFunc(sources, defines) {
			t.Errorf("%s: there is no such flag or test", m[0])
		}
	}
}
