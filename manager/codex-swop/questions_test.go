//go:build unix

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// asked are the functions that ask the person at the terminal, each with the script that leaves its question by Ctrl-C and Ctrl-D, and with
// words of the commands there.
var asked = map[string]struct{ script, command string }{
	"mayRemove":    {"add_terminal", "remove work"},
	"mayUninstall": {"input_bad", "uninstall"},
	"mayPurge":     {"input_bad", "uninstall --purge"},
	"runInstall":   {"input_bad", "install .* --with-codex"},
	"mayChange":    {"logout_used", "logout"},
	"mayCreate":    {"start_loginless", "SWOP_ACCOUNT=lion codex exec"},
	"StopServerAt": {"login_server", "login work|rename work"},
	"pick":         {"input_bad", "codex swop use"},
	"pickSession":  {"resume_picker", "resume"},
}

// TestQuestionsAreLeft finds the functions that ask in the sources: of each question a script proves that Ctrl-C and Ctrl-D leave it.
func TestQuestionsAreLeft(t *testing.T) {
	found := map[string]bool{}
	for _, name := range functionsThatAsk(t, "Confirm", "ConfirmOr", "ConfirmRemoval", "Choose") {
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

// functionsThatAsk returns the names of the verbs' functions that call one of these of package terminal, or pass it on.
func functionsThatAsk(t *testing.T, names ...string) (list []string) {
	t.Helper()
	files, err := filepath.Glob("../verb/*.go")
	testhome.NoError(t, err)
	chapters, err := filepath.Glob("../verb/*/*.go")
	testhome.NoError(t, err)
	for _, name := range append(files, chapters...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		testhome.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			uses := false
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					from, _ := sel.X.(*ast.Ident)
					uses = uses || from != nil && from.Name == "terminal" && slices.Contains(names, sel.Sel.Name)
				}
				return true
			})
			if uses {
				list = append(list, f.Name.Name)
			}
		}
	}
	return list
}
