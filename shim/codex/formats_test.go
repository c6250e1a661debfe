package main

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The functions that format as package say does, which go vet does not know. The format is their first operand, or the second one.
var formatting = map[string]int{"say.Errorf": 0, "say.Sprintf": 0, "say.Line": 1, "disk.Unsafe": 0, "Unsafe": 0, "v.fail": 0, "of.fail": 0}

// Each format has verbs that package say knows, one for each operand.
func TestFormats(t *testing.T) {
	root, seen := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		ast.Inspect(parse(t, path), func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && checkFormat(t, path, call) {
				seen++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("%d calls were found: the list of functions here is out of date", seen)
	}
}

// checkFormat reports whether the call formats, with a text that is known.
func checkFormat(t *testing.T, path string, call *ast.CallExpr) bool {
	t.Helper()
	at, ok := formatting[nameOf(call.Fun)]
	if !ok || len(call.Args) <= at || call.Ellipsis != token.NoPos {
		return false
	}
	literal, ok := call.Args[at].(*ast.BasicLit)
	if !ok {
		return false
	}
	format, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	verbs := verbsOf(format)
	if bad := slices.IndexFunc(verbs, func(v byte) bool { return !strings.ContainsRune("dqsvw", rune(v)) }); bad >= 0 {
		t.Errorf("%s: package say does not know %%%c, in %q", path, verbs[bad], format)
	}
	if operands := len(call.Args) - at - 1; operands != len(verbs) {
		t.Errorf("%s: %d operands for %q", path, operands, format)
	}
	return true
}

func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// verbsOf returns the letter, or whatever it is, behind each per cent sign.
func verbsOf(format string) (verbs []byte) {
	for _, part := range strings.Split(strings.ReplaceAll(format, "%%", ""), "%")[1:] {
		verbs = append(verbs, (part + "!")[0])
	}
	return verbs
}
