//go:build linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"

	"swop/internal/testhome"
	"swop/internal/testprogram"
)

// tableRow is a launcher in the shim's table, and what else it says of it.
var tableRow = regexp.MustCompile(`since:\s+"([0-9.]+)",\n\s+size:\s+([0-9]+),\n\s+sum:\s+"([0-9a-f]{32})",`)

// A knownLauncher is one of the shim's table, as npm has it.
type knownLauncher struct {
	since string // the first release that brought it
	file  string // its codex.js
}

// knownLaunchers are all of the shim's table, fetched from npm at the first call.
var knownLaunchers = sync.OnceValues(func() ([]knownLauncher, error) {
	table, err := os.ReadFile("../shim/launchers.go")
	if err != nil {
		return nil, err
	}
	rows := tableRow.FindAllSubmatch(table, -1)
	if len(rows) < 7 {
		return nil, fmt.Errorf("the shim's table has %d launchers, want 7 or more", len(rows))
	}
	var releases []string
	for _, row := range rows {
		releases = append(releases, string(row[1]))
	}
	dir, err := install(func(ctx context.Context, cache string) (string, error) { return fetchLaunchers(ctx, cache, releases) })
	var known []knownLauncher
	for _, row := range rows {
		l := knownLauncher{string(row[1]), filepath.Join(dir, string(row[1])+".js")}
		known = append(known, l)
		err = errors.Join(err, l.check(string(row[2]), string(row[3])))
	}
	return known, err
})

// check compares the file with what the table says of it.
func (l knownLauncher) check(size, sum string) error {
	text, err := os.ReadFile(l.file)
	if err != nil {
		return err
	}
	if got := fmt.Sprint(len(text)); got != size {
		return fmt.Errorf("the launcher of %s has %s bytes, the table says %s", l.since, got, size)
	}
	hash := fnv.New128a()
	hash.Write(text)
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != sum {
		return fmt.Errorf("the launcher of %s has the sum %s, the table says %s", l.since, got, sum)
	}
	return nil
}

// fetchLaunchers returns the directory below cache that has RELEASE.js of each release. What is missing is fetched with npm, without the
// packages that bring the native binaries: 5 kB each. A complete directory needs no npm and may be read-only.
func fetchLaunchers(ctx context.Context, cache string, releases []string) (string, error) {
	dir := filepath.Join(cache, "launchers")
	if missing, err := missingLaunchers(dir, releases); err != nil || len(missing) == 0 {
		return dir, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	missing, err := missingLaunchers(dir, releases)
	if err != nil || len(missing) == 0 {
		return dir, err
	}
	return dir, packLaunchers(ctx, dir, missing)
}

func missingLaunchers(dir string, releases []string) (missing []string, _ error) {
	for _, release := range releases {
		_, err := os.Stat(filepath.Join(dir, release+".js"))
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, release)
		} else if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

func packLaunchers(ctx context.Context, dir string, releases []string) error {
	packs, err := os.MkdirTemp(dir, "packs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(packs)
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent")
	for _, release := range releases {
		npm.Args = append(npm.Args, "@openai/codex@"+release)
	}
	npm.Dir = packs
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", npm.Args, err, out)
	}
	for _, release := range releases {
		script := filepath.Join(packs, release+".js")
		text, err := exec.CommandContext(ctx, "tar", "-xzOf", filepath.Join(packs, "openai-codex-"+release+".tgz"), "package/bin/codex.js").Output()
		if err == nil {
			err = os.WriteFile(script, text, 0o644)
		}
		if err == nil {
			err = os.Rename(script, filepath.Join(dir, release+".js"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// launchersOf fetches them for a test.
func launchersOf(t *testing.T) []knownLauncher {
	t.Helper()
	testhome.Needs(t, testprogram.Codex)
	known, err := knownLaunchers()
	testhome.NoError(t, err)
	return known
}
