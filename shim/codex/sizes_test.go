package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"swop/internal/test/testhome"
)

// What a reader can hold at once.
const (
	mostFile    = 350  // lines
	mostPackage = 2500 // lines, without tests
	mostMethods = 40   // of one receiver
	mostParams  = 5    // of a function
	mostNames   = 70   // that a package exports, methods not counted
	mostColumns = 140  // of a line, except in tests rows of tables and raw strings
)

func TestSizes(t *testing.T) {
	for _, l := range layers {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(l.dir), "*.go"))
		testhome.NoError(t, err)
		lines, names, methods := 0, map[string]bool{}, map[string]int{}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			testhome.NoError(t, err)
			n := bytes.Count(text, []byte("\n"))
			checkSize(t, l.dir+"/"+filepath.Base(path), n, mostFile, "lines")
			lines += n
			for _, d := range parse(t, path).Decls {
				for _, name := range namesOf(d) {
					names[name] = ast.IsExported(name)
				}
				f, ok := d.(*ast.FuncDecl)
				if ok {
					checkSize(t, l.dir+"."+f.Name.Name, f.Type.Params.NumFields(), mostParams, "parameters")
				}
				if ok && f.Recv != nil {
					name := receiver(f.Recv.List[0].Type)
					if strings.HasSuffix(path, "_windows.go") {
						name += " on Windows" // nobody reads both at once
					}
					methods[name]++
				}
			}
		}
		checkSize(t, l.dir, lines, mostPackage, "lines")
		maps.DeleteFunc(names, func(_ string, exported bool) bool { return !exported })
		checkSize(t, l.dir, len(names), mostNames, "exported names")
		for name, n := range methods {
			checkSize(t, l.dir+"."+name, n, mostMethods, "methods")
		}
	}
}

// namesOf returns what is declared at the top of a package.
func namesOf(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// What the pages may have at most: a reader has a few minutes for each.
var mostWords = []struct {
	pages string // a pattern
	of    string
	most  int
}{
	{"README.md", "lines", 130},
	{"SECURITY.md", "words", 1300},
	{"CONTRIBUTING.md", "words", 2000},
	{"docs/*.md", "words", 10000},
	{"docs/decisions/*.md", "words", 9000},
	{"docs/decisions/*.md", "pages", 30},
}

func TestSizesOfPages(t *testing.T) {
	for _, m := range mostWords {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(m.pages)))
		testhome.NoError(t, err)
		n := map[string]int{"pages": len(files)}
		for _, path := range files {
			text, err := os.ReadFile(path)
			testhome.NoError(t, err)
			n["words"] += len(bytes.Fields(text))
			n["lines"] += bytes.Count(text, []byte("\n"))
		}
		if len(files) == 0 {
			t.Errorf("no page is called %s", m.pages)
		}
		checkSize(t, m.pages, n[m.of], m.most, m.of)
	}
}

func checkSize(t *testing.T, name string, n, most int, of string) {
	t.Helper()
	if n > most {
		t.Errorf("%s has %d %s, want at most %d", name, n, of, most)
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func TestSizesOfLines(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		testhome.NoError(t, err)
		isTest := strings.HasSuffix(path, "_test.go") || strings.Contains(filepath.ToSlash(path), "/internal/test/")
		for n, columns := range columnsOf(source, isTest) {
			checkSize(t, fmt.Sprintf("%s:%d", path, n+1), columns, mostColumns, "columns")
		}
		return nil
	})
	testhome.NoError(t, err)
}

// columnsOf counts the columns of each line of Go, a tab as one. In a test neither rows of tables nor raw strings count.
func columnsOf(source []byte, isTest bool) []int {
	var columns []int
	for line := range strings.Lines(string(source)) {
		n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		if row := strings.TrimLeft(line, "\t"); isTest && strings.ContainsAny(row[:1], "{\"`") {
			n = 0
		}
		columns = append(columns, n)
	}
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for pos, tok, text := s.Scan(); tok != token.EOF; pos, tok, text = s.Scan() {
		if tok == token.STRING && text[0] == '`' && isTest {
			for i, part := range strings.Split(text, "\n") {
				columns[file.Line(pos)-1+i] -= utf8.RuneCountInString(part)
			}
		}
	}
	return columns
}
