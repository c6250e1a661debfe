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
)

// What the shim must not link, each with the reason. It starts on every call of codex: what a package costs when a program starts,
// and what it drags in, is paid every time.
var tooDear = map[string]string{
	"crypto/tls":          "a call of codex makes no connection",
	"encoding/gob":        "compiles its types when the program starts; files are JSON or TOML",
	"encoding/xml":        "files are JSON or TOML",
	"flag":                "the arguments are codex's; reading them would change what reaches it",
	"go/ast":              "nothing here reads Go",
	"html/template":       "nothing here writes HTML",
	"log":                 "what is said goes through shim.Say, in one form",
	"log/slog":            "what is said goes through shim.Say, in one form",
	"math/big":            "comes with crypto/rand, as FIPS 140's set-up does; the system's random bytes name a temporary file as well",
	"mime":                "reads the system's tables",
	"net":                 "the resolver and the poller: a call of codex makes no connection",
	"net/http":            "0.3 ms at every start, measured",
	"net/url":             "nothing here has an address",
	"os/exec":             "starts goroutines and looks PATH up by itself; syscall.Exec and ForkExec do what is asked",
	"os/signal":           "starts a goroutine, and signals are codex's own",
	"regexp":              "path.Match and strings are enough, and are not compiled at the start",
	"runtime/debug":       "the version is codex-swop's to tell",
	"testing":             "belongs in tests",
	"text/tabwriter":      "tables are codex-swop's",
	"text/template":       "keeps the linker from dropping what nobody calls, through reflection",
	"plugin":              "needs cgo",
	"github.com/adrg/xdg": "reads user-dirs.dirs at every start; config.Locate does what is needed, and a test holds the two equal",
}

// What it may link beside the standard library, of others and of ours.
var linked = []string{
	"github.com/pelletier/go-toml/v2", "github.com/pelletier/go-toml/v2/internal/parserbridge", "github.com/pelletier/go-toml/v2/internal/tracker",
	"github.com/pelletier/go-toml/v2/unstable", "golang.org/x/sys/unix",
	"swop/config", "swop/manager", "swop/shim", "swop/shim/codex",
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
		if reason, ok := tooDear[path]; ok {
			t.Errorf("the shim links %s: %s", path, reason)
		} else if !standard && !slices.Contains(linked, path) {
			t.Errorf("the shim links %s, which is neither the standard library nor one of %q", path, linked)
		}
	}
}

// Who may import what of ours. The directory's own subpackages are not its own: each has its line.
var imports = map[string][]string{
	".":                  {},
	"config":             {},
	"install":            {"swop/config"},
	"manager":            {"swop/config"},
	"manager/process":    {"swop/config"},
	"manager/codex-swop": {"swop/config", "swop/install", "swop/manager", "swop/manager/process", "swop/shim", "swop/shim/codexsandbox"},
	"shim":               {"swop/config", "swop/manager"},
	"shim/codex":         {"swop/config", "swop/shim"},
	"shim/codexsandbox":  {"swop/config", "swop/manager", "swop/manager/process", "swop/shim"},
}

// Globals that only the two mains read, so that all else can be tested with values.
var globals = map[string][]string{
	"os":      {"Args", "Environ", "Exit", "Getenv", "LookupEnv", "Setenv", "Unsetenv", "Clearenv", "ExpandEnv", "Stdin", "Stdout", "Stderr", "UserHomeDir", "UserConfigDir"},
	"time":    {"Now", "Since", "Until"},
	"log":     {"Fatal", "Fatalf", "Fatalln"},
	"syscall": {"Getenv", "Environ", "Exit"},
}

func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "e2e" || name == "bench" || name == "faults" || name == "node_modules") {
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
		if !strings.HasPrefix(name, "main") || file.Name.Name != "main" {
			checkGlobals(t, path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range imports {
		if !found[filepath.FromSlash(dir)] {
			t.Errorf("%s has no Go file: the table here is out of date", dir)
		}
	}
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func checkImports(t *testing.T, path, dir string, file *ast.File) {
	t.Helper()
	allowed, known := imports[dir]
	if !known {
		t.Errorf("%s: the package %q is not in the table of who may import what", path, dir)
		return
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(imported, "swop/") && !slices.Contains(allowed, imported) {
			t.Errorf("%s: imports %s; %s may import of ours: %q", path, imported, dir, allowed)
		}
		if spec.Name != nil && spec.Name.Name == "." {
			t.Errorf("%s: imports %s into its own names", path, imported)
		}
	}
}

// checkGlobals looks for the names as they are written everywhere here: after the package's own name.
func checkGlobals(t *testing.T, path string, file *ast.File) {
	t.Helper()
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(globals[pkg.Name], selector.Sel.Name) && importsPackage(file, pkg.Name) {
			t.Errorf("%s: uses %s.%s, which only main.go may", path, pkg.Name, selector.Sel.Name)
		}
		return true
	})
}

func importsPackage(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return spec.Name == nil && spec.Path.Value == strconv.Quote(name)
	})
}
