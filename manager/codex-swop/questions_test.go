//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// asked are the functions that ask the person at the terminal, each with the script that leaves its question by Ctrl-C and Ctrl-D, and with
// words of the commands there.
var asked = map[string]struct{ script, command string }{
	"mayRemove":    {"add_terminal", "remove work"},
	"mayUninstall": {"input_bad", "uninstall"},
	"mayPurge":     {"input_bad", "uninstall --purge"},
	"mayChange":    {"logout_used", "logout"},
	"mayMoveHome":  {"home_copied", "doctor --fix"},
	"mayCreate":    {"start_loginless", "SWOP_ACCOUNT=lion codex exec"},
	"StopServerAt": {"login_server", "login work|rename work"},
	"Pick":         {"input_bad", "codex swop use"},
}

// TestQuestionsAreLeft finds the functions that ask in the sources: of each question a script proves that Ctrl-C and Ctrl-D leave it.
func TestQuestionsAreLeft(t *testing.T) {
	found := map[string]bool{}
	for _, name := range functionsThatAsk(t) {
		found[name] = true
		question, ok := asked[name]
		if !ok {
			t.Errorf("%s asks a question, and no script leaves it: see the table", name)
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "script", question.script+".txtar"))
		testhome.NoError(t, err)
		for _, key := range []string{"ctrl-c", "ctrl-d"} {
			if !regexp.MustCompile(`(?m)^ttyin -stdin \S*` + key + `\nexits 130 .*(` + question.command + `)`).Match(text) {
				t.Errorf("%s asks a question, and %s does not leave it by %s", name, question.script, key)
			}
		}
	}
	for name := range asked {
		if !found[name] {
			t.Errorf("%s asks nothing any more", name)
		}
	}
}

// functionsThatAsk returns the names of the verbs' functions that ask, or pass the function that asks on.
func functionsThatAsk(t *testing.T) (list []string) {
	t.Helper()
	asks := regexp.MustCompile(`(?s)^(?:\([^)]*\) )?(\w+).*\bterminal\.(?:Confirm\w*|Choose)\b`)
	for _, pattern := range []string{"../verb/*.go", "../verb/*/*.go"} {
		files, err := filepath.Glob(pattern)
		testhome.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			testhome.NoError(t, err)
			for _, function := range strings.Split(string(text), "\nfunc ")[1:] {
				if found := asks.FindStringSubmatch(function); found != nil {
					list = append(list, found[1])
				}
			}
		}
	}
	return list
}
