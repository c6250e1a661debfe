//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// miseVersion is the release of mise that the tests run. Its package for one platform has no install script.
const miseVersion = "2026.9.15"

var miseProgram = sync.OnceValues(func() (string, error) { return install(installMise) })

// installedMise is the program, installed with npm at the first call.
func installedMise(t *testing.T) string {
	t.Helper()
	program, err := miseProgram()
	if err != nil {
		t.Fatalf("no mise %s: %v", miseVersion, err)
	}
	return program
}

// installMise puts a complete tree into the cache by a rename, as package realcodex does.
func installMise(ctx context.Context, cache string) (string, error) {
	name := "@jdxcode/mise-" + runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	root := filepath.Join(cache, "mise-"+miseVersion)
	program := filepath.Join(root, "node_modules", name, "bin", "mise")
	if _, err := os.Stat(program); err == nil {
		return program, nil // complete, and perhaps not ours to write to
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(root + ".lock").Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	partial := root + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	if err := os.Mkdir(partial, 0o755); err != nil {
		return "", err
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", partial, "--no-audit", "--no-fund", name+"@"+miseVersion)
	npm.Dir = partial
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w\n%s", name, err, out)
	}
	return program, os.Rename(partial, root)
}
