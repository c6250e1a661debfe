//go:build unix

package shim

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"swop/config"
	"swop/internal/test/testfile"
)

// What is kept of a launcher is read as it was written, and holds while the files, the path and the variables are as they were.
func TestKept(t *testing.T) {
	dir := testfile.OwnDir(t)
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		testfile.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testfile.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	program := write("native", "", 0o700)
	script := write("pkg/bin/codex.js", "#!/usr/bin/env node\n", 0o700)
	manifest := write("pkg/package.json", "{}", 0o600)
	places := config.Places{Home: dir, Root: filepath.Join(dir, "root")}
	env := config.Env{"A=1", "NODE_ENV=x", "PATH=/bin"}
	answer := Answer{Program: program, Tools: "/t:", Changes: []string{"C", "D=a=b"}}
	at := func(path string) Program {
		p, err := programAt(path)
		testfile.NoError(t, err)
		return p
	}
	keep := func() Launcher {
		t.Helper()
		l, ok := at(script).Launcher()
		if !ok {
			t.Fatal("the script is no launcher")
		}
		write("root/launch/"+filepath.Base(l.File(&places)), answer.Text(l, env), 0o600)
		return l
	}
	for _, answer.Names = range [][]string{{}, {"A", "B"}} {
		got, ok := keep().Stored(&places, env)
		got.state, got.program, got.given = "", "", ""
		if !ok || !reflect.DeepEqual(got, answer) {
			t.Errorf("Kept = %+v, %v, want %+v", got, ok, answer)
		}
	}
	for name, change := range map[string]func() config.Env{
		"another value":       func() config.Env { return env.With("A", "2") },
		"a value less":        func() config.Env { return env.Without("A") },
		"a value that is new": func() config.Env { return env.With("B", "") },
		"Node's own":          func() config.Env { return env.With("NODE_NEW", "1") },
		"another script":      func() config.Env { write("pkg/bin/codex.js", "#!/usr/bin/env node\nx", 0o700); return env },
		"another package":     func() config.Env { write("pkg/package.json", "{ }", 0o600); return env },
		"another program":     func() config.Env { write("native", "x", 0o700); return env },
		"no program":          func() config.Env { testfile.NoError(t, os.Remove(program)); return env },
		"an open root":        func() config.Env { testfile.NoError(t, os.Chmod(places.Root, 0o777)); return env },
	} {
		testfile.NoError(t, os.Chmod(places.Root, 0o700))
		write("native", "", 0o700)
		keep()
		if l, ok := at(script).Launcher(); !ok {
			t.Errorf("%s: no launcher before", name)
		} else if _, ok := l.Stored(&places, env.With("PATH", "/else").With("Z", "")); !ok {
			t.Errorf("%s: not kept before", name)
		}
		env := change()
		l, _ := at(script).Launcher()
		if _, ok := l.Stored(&places, env); ok {
			t.Errorf("%s: the answer is believed", name)
		}
	}
	testfile.NoError(t, os.Remove(manifest))
	if _, ok := at(script).Launcher(); ok {
		t.Error("a script without a package.json is a launcher")
	}
}
