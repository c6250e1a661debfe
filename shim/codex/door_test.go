package main

import (
	"go/ast"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// starters start a program: of the library, and of ours.
var starters = strings.Fields(`
	os/exec.Command os/exec.CommandContext os/exec.Cmd os.StartProcess
	syscall.Exec syscall.ForkExec syscall.StartProcess syscall.SYS_EXECVE
	golang.org/x/sys/unix.Exec golang.org/x/sys/unix.SYS_EXECVE golang.org/x/sys/unix.SYS_EXECVEAT golang.org/x/sys/windows.CreateProcess
	swop/shim.Exec swop/internal/session/supervise.Run swop/internal/session/supervise.Start swop/internal/session/supervise.StartWith
	swop/internal/account/process.Ask swop/internal/account/process.Command swop/internal/account/process.Program
	swop/internal/account/rpc.Talk`)

// door lists who may use them, by directory or file. All else runs by internal/session, the one door, which goes by the account's policy.
var door = []struct{ path, why string }{
	{"internal/session", "the door"},
	{"internal/session/supervise", "how it runs a child as if exec'd"},
	{"internal/account/process", "how it asks a program"},
	{"internal/account/rpc", "how it asks an app-server"},
	{"internal/confine", "the processes of a scene"},
	{"internal/confine/mount", "the processes of a scene"},
	{"shim/exec_unix.go", "codex itself, which knows no confined account"},
	{"shim/exec_windows.go", "codex itself"},
	{"internal/session/launcher/ask.go", "npm's launcher, with Node, for no account"},
	{"internal/bridge/command_unix.go", "the user's command that prints a token"},
	{"internal/bridge/host_unix.go", "the user's commands in [bridge.commands]"},
	{"manager/doctor/git.go", "git"},
	{"manager/verb/confined/ask_unix.go", "a command in a confined session, which it stays in"},
}

// TestOneDoor finds each place that starts a program. One that is not in the list is a second door.
func TestOneDoor(t *testing.T) {
	root := filepath.Join("..", "..")
	used := map[string]bool{}
	testhome.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err == nil && entry.IsDir() && (name != "." && name[0] == '.' || entry.Name() == "testdata" ||
			name == filepath.Join("internal", "test")) {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		name = filepath.ToSlash(name)
		for _, starter := range startersIn(t, path) {
			at := slices.IndexFunc(door, func(d struct{ path, why string }) bool {
				return d.path == name || d.path == filepath.ToSlash(filepath.Dir(name))
			})
			if at < 0 {
				t.Errorf("%s uses %s: only internal/session starts programs, by the policy of their account", name, starter)
				continue
			}
			used[door[at].path] = true
		}
		return nil
	}))
	for _, d := range door {
		if !used[d.path] {
			t.Errorf("%s starts no program: the list here is out of date", d.path)
		}
	}
}

// startersIn returns the starters that a file uses.
func startersIn(t *testing.T, path string) (found []string) {
	t.Helper()
	file, imported := parse(t, path), map[string]string{}
	for _, spec := range file.Imports {
		of, err := strconv.Unquote(spec.Path.Value)
		testhome.NoError(t, err)
		name := of[strings.LastIndex(of, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = of
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(starters, imported[x.Name]+"."+s.Sel.Name) {
				found = append(found, imported[x.Name]+"."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}
