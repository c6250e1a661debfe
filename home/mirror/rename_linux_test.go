package mirror

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// What everyday programs do with links of files, and what the shared home holds after it, whether other starts came before the end of the session
// or not: files as "name=content", links as "name>target".
func TestEngineReadsLinks(t *testing.T) {
	for command, want := range map[string]string{
		"mv x a":                           "a=X y=Y",
		"mv x a; mv y x; mv a y":           "x=Y y=X",
		"mv x t; mv y x; mv z y; mv t z":   "x=Y y=Z z=X",
		"mv x y":                           "y=X",
		"mv x a; rm y":                     "a=X x=X y=Y",
		"cp -a x x.bak":                    "x=X x.bak=X y=Y",
		"cp -a x y":                        "x=X y=X",
		"cp -a x x.bak; echo N >t; mv t x": "x=N x.bak=X y=Y",
		"mv x x.bak; echo N >x":            "x=N x.bak=X y=Y",
		"ln x x.bak":                       "x=X x.bak=X y=Y",
		"cp -a x b; cp -a x c; rm x":       "b=X c=X x=X y=Y",
		"ln -s y l":                        "l>y x=X y=Y",
		"ln -sr y l":                       "l>y x=X y=Y",
		"ln -s \"$PWD/y\" l":               "l>SHARED/y x=X y=Y",
		"rm y; ln -sr x y":                 "x=X y>x",
		"mv y z; ln -sr y l":               "l>y x=X z=Y",
		"mkdir d; mv x d/":                 "d/ x=X y=Y",
		"mkdir d; mv x d/; echo N >x":      "d/ x=N y=Y",
		"mkdir d; ln -sr x d/l":            "d/ x=X y=Y",
		"cp -a x t; echo more >>t; mv t x": "x=X\\nmore y=Y",
		"rm x":                             "x=X y=Y",
	} {
		for _, starts := range []int{0, 2} {
			w := newWorld(t, testhome.Scratch(t), "a")
			w.runProgram(command)
			for range starts {
				testhome.Tick(t)
				testhome.NoError(t, w.reconcileWith("a", quiet(busy)))
			}
			testhome.NoError(t, w.settle())
			if got := w.plainly(); got != want {
				t.Errorf("%s, %d starts\n got %s\nwant %s", command, starts, got, want)
			}
			if got := w.tree(w.codex("a")); strings.Contains(strings.Join(got, "\n"), " = ") {
				t.Errorf("%s, %d starts: the sandbox has %q", command, starts, got)
			}
		}
	}
}

// runProgram runs a command of sh in the codex home of the account a, which has links to files called x and y, and to z if the command names it.
func (w *testWorld) runProgram(command string) {
	for name, text := range map[string]string{"x": "X\n", "y": "Y\n", "z": "Z\n"} {
		if name != "z" || strings.Contains(command, " z") {
			testhome.PutText(w.t, filepath.Join(w.shared, name), text)
		}
	}
	w.do(`tick; start rest`)
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir = w.codex("a")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v, %s", command, err, out)
	}
}

// plainly lists the top of the shared home, without what is always there.
func (w *testWorld) plainly() string {
	var list []string
	entries, err := os.ReadDir(w.shared)
	testhome.NoError(w.t, err)
	for _, entry := range entries {
		path := filepath.Join(w.shared, entry.Name())
		target, err := os.Readlink(path)
		switch {
		case entry.Name() == "sessions" || entry.Name() == "skills":
		case err == nil:
			list = append(list, entry.Name()+">"+strings.Replace(target, w.shared, "SHARED", 1))
		case entry.IsDir():
			list = append(list, entry.Name()+"/")
		default:
			list = append(list, entry.Name()+"="+strings.ReplaceAll(strings.TrimSuffix(testhome.TextOf(path), "\n"), "\n", `\n`))
		}
	}
	return strings.Join(list, " ")
}
