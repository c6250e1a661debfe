// Package testbuild builds swop's programs for the tests that run them.
package testbuild

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Programs builds codex, codex-swop and the scripts' fake in the directory dir, which it makes. Call it inside a test, not in TestMain: go
// test reuses a result until a file changes that the test opened, and only notes those that are opened while tests run. So Programs opens
// the sources. Where [Built] names a directory, that has them: there is no Go, or ./test.sh has built them for all packages.
func Programs(dir string) error {
	if built := os.Getenv(Built); built != "" {
		return exec.Command("cp", "-R", built+"/.", dir).Run() // a program that this process had written could be busy
	}
	if err := openSources(); err != nil {
		return err
	}
	_, err := run(append([]string{"build", "-buildvcs=false", "-ldflags=-s", "-o", dir + "/"}, packages...)) // no debugger runs them
	return err
}

// Fake writes a script that stands for the real codex: fake/codex in the directory dir.
func Fake(dir, script string) error {
	fake := filepath.Join(dir, "fake")
	return errors.Join(os.Mkdir(fake, 0o755), os.WriteFile(filepath.Join(fake, "codex"), []byte(script), 0o755))
}

// Built is the environment variable that names a directory with the programs.
const Built = "SWOP_TEST_PROGRAMS"

// Planted is in every secret of a script: no output may show it.
const Planted = "planted"

var packages = []string{"swop/shim/codex", "swop/manager/codex-swop", "swop/internal/test/script/codexfake"}

// sources lists, a line each, the directory of every package that the programs consist of, the files that it embeds, and its go.mod.
const sources = `{{if not .Standard}}{{.Dir}}{{range .EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}{{with .Module}}
{{.GoMod}}{{end}}{{end}}`

// openSources opens the directories and files that the programs are built from. Of a directory, go test compares all entries.
func openSources() error {
	out, err := run(append([]string{"list", "-deps", "-f", sources}, packages...))
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		f, err := os.Open(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// run returns what a go command prints.
func run(args []string) (string, error) {
	var stderr strings.Builder
	cmd := exec.Command("go", args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%q: %w\n%s", cmd.Args, err, &stderr)
	}
	return string(out), nil
}
