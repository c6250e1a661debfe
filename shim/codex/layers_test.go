package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// What the shim must not link. It starts on every call of codex: what a package costs when a program starts, as net/http's 0.3 ms, and what
// it drags in, is paid every time.
var tooDear = strings.Fields(`
	crypto/tls encoding/gob encoding/xml flag go/ast html/template log log/slog math/big mime net net/http net/url
	os/exec os/signal plugin regexp runtime/debug testing text/tabwriter text/template`)

// What it may link beside the standard library and what is hot of ours.
var linked = []string{
	"golang.org/x/sys/unix",
	"golang.org/x/term", // whose one call here is an ioctl
	"github.com/adrg/xdg",
	"github.com/adrg/xdg/internal/pathutil",
	"github.com/adrg/xdg/internal/userdirs",
	"github.com/BurntSushi/toml",
	"github.com/BurntSushi/toml/internal",
}

// isHot reports whether the package at this import path is one of ours that codex links.
func isHot(path string) bool {
	dir, ours := strings.CutPrefix(path, "swop/")
	at := layerOf(dir)
	return ours && at >= 0 && layers[at].hot
}

// layerOf returns the place of the package in [layers], -1 where it has none.
func layerOf(dir string) int {
	for i, l := range layers {
		if l.dir == dir {
			return i
		}
	}
	return -1
}

func TestShimLinksLittle(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Standard}}", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v failed: %v", cmd.Args, err)
	}
	lines := strings.Fields(string(out))
	if len(lines) < 40 {
		t.Fatalf("%v lists %q", cmd.Args, out)
	}
	for i := 0; i+1 < len(lines); i += 2 {
		path, standard := lines[i], lines[i+1] == "true"
		if slices.Contains(tooDear, path) {
			t.Errorf("the shim links %s", path)
		} else if !standard && !slices.Contains(linked, path) && !isHot(path) {
			t.Errorf("the shim links %s, which is neither the standard library, nor hot in layers, nor one of %q", path, linked)
		}
	}
}

// layers are our packages, top to bottom: each uses only those above it. Following a call, from argv to exec, one stays in a package or
// goes to one above it. Those that are hot are linked into codex: every call pays for them.
var layers = []struct {
	dir string
	hot bool
}{
	{"internal/say", true},
	{"internal/disk/sys", true},
	{"internal/disk", true},
	{"config", true},
	{"internal/account", true},
	{"internal/home/rules", true},
	{"internal/limits/pool", true},
	{"internal/account/store", true},
	{"internal/home", true},
	{"internal/session/supervise", true}, // on Windows
	{"shim", true},
	{"shim/codex", true},
	{"internal/account/process", false},
	{"internal/account/rpc", false},
	{"internal/account/login", false},
	{"internal/limits/usage", false},
	{"internal/limits/transcript", false},
	{"internal/limits/continuation", false},
	{"internal/home/takeover", false},
	{"internal/session/launcher", false},
	{"internal/session/socket", false},
	{"internal/bridge/request", false},
	{"internal/bridge/github", false},
	{"internal/bridge/chatgpt", false},
	{"internal/bridge", false},
	{"internal/confine/desk", false},
	{"internal/confine/filter", false},
	{"internal/confine/mount", false},
	{"internal/confine/proxy", false},
	{"internal/confine", false},
	{"internal/session", false},
	{"install", false},
	{"codexsandbox", false},
	{"manager/terminal", false},
	{"manager/verb", false},
	{"manager/doctor", false},
	{"manager/verb/limits", false},
	{"manager/verb/accounts", false},
	{"manager/verb/confined", false},
	{"manager/verb/choice", false},
	{"manager/verb/homes", false},
	{"manager/verb/swop", false},
	{"manager/codex-swop", false},
}

func TestLayers(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || path == filepath.Join(root, "internal", "test") ||
				name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file := parse(t, path)
		dir, err := filepath.Rel(root, filepath.Dir(path))
		found[dir] = true
		checkImports(t, path, filepath.ToSlash(dir), file)
		return err
	})
	testhome.NoError(t, err)
	for _, l := range layers {
		if !found[filepath.FromSlash(l.dir)] {
			t.Errorf("%s has no Go file: the list here is out of date", l.dir)
		}
	}
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	testhome.NoError(t, err)
	return file
}

func checkImports(t *testing.T, path, dir string, file *ast.File) {
	t.Helper()
	at := layerOf(dir)
	if at < 0 {
		t.Errorf("%s: the package %q has no place in the list of layers", path, dir)
		return
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		testhome.NoError(t, err)
		if above, ours := strings.CutPrefix(imported, "swop/"); ours && (layerOf(above) < 0 || layerOf(above) >= at) {
			t.Errorf("%s: imports %s, which does not stand above %s in the list of layers", path, imported, dir)
		}
		if spec.Name != nil && spec.Name.Name == "." {
			t.Errorf("%s: imports %s into its own names", path, imported)
		}
	}
}
