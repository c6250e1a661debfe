// Package realcodex provides released versions of the real Codex CLI to the tests, and the Node and the mise that some of its users have.
package realcodex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/rogpeppe/go-internal/lockedfile"

	"swop/shim"
)

// Version is the release that the tests run unless they ask for another: the newest that swop is tested with, or, to try a newer one, the
// one that SWOP_TEST_CODEX_NEWEST names.
var Version = cmp.Or(os.Getenv("SWOP_TEST_CODEX_NEWEST"), shim.NewestTested)

// Releases returns those that the tests install: the newest, the oldest, and others that stand for many. Each takes some 100 MB to fetch
// and 300 MB installed.
func Releases() []string {
	return []string{Version, "0.29.0", "0.92.0", "0.128.0", "0.155.0"}
}

// Missing returns which of the releases are not in cache.
func Missing(cache string) (versions []string) {
	for _, version := range Releases() {
		if ok, _ := exists(release(version).root(cache)); !ok { // what cannot be read is fetched, or fails, later
			versions = append(versions, version)
		}
	}
	return versions
}

// Nodes are the releases of Node that codex's launcher is asked under, the newest last. Those from 22.15 on have process.execve, by which
// the launcher becomes the native codex instead of starting it.
var Nodes = []string{"18.20.8", "20.20.2", "22.23.3", "24.21.0"}

// miseVersion is a release whose packages, one for each platform, have no install script.
const miseVersion = "2026.9.15"

// CacheDir returns the directory that keeps installed releases from run to run: what SWOP_TEST_CODEX_CACHE names, by default swop-test in
// the user's cache directory.
func CacheDir() (string, error) {
	if dir := os.Getenv("SWOP_TEST_CODEX_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "swop-test"), err
}

// Install returns the directory that holds npm's launcher `codex` of version, below cache. What is missing is installed
// with npm, once: equal calls at the same time, in any process, wait for one another. A complete installation needs no npm and
// may be read-only. If npm is missing or fails, the error quotes npm.
func Install(ctx context.Context, cache, version string) (string, error) {
	return provide(ctx, cache, release(version))
}

// Node returns the directory that holds the `node` of one of [Nodes], installed as Install does it.
func Node(ctx context.Context, cache, version string) (string, error) {
	return provide(ctx, cache, npmPackage{"node", version, "node"})
}

// Mise returns the path of the program mise, installed as Install does it.
func Mise(ctx context.Context, cache string) (string, error) {
	name := "@jdxcode/mise-" + runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	dir, err := provide(ctx, cache, npmPackage{name, miseVersion, "mise"})
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(filepath.Join(dir, "mise"))
}

// An npmPackage is a version of a package in npm's registry that contains a program.
type npmPackage struct{ name, version, program string }

func release(version string) npmPackage { return npmPackage{"@openai/codex", version, "codex"} }

func (p npmPackage) root(cache string) string { return filepath.Join(cache, p.program+"-"+p.version) }

func (p npmPackage) spec() string { return p.name + "@" + p.version }

func provide(ctx context.Context, cache string, p npmPackage) (string, error) {
	root := p.root(cache)
	return filepath.Join(root, "node_modules", ".bin"), once(root, func() error { return p.install(ctx, root) })
}

// once calls fetch, which makes the directory root, unless root exists. Another process that asks meanwhile waits.
func once(root string, fetch func() error) error {
	if ok, err := exists(root); ok || err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(root), 0o755); err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(root + ".lock").Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if ok, err := exists(root); ok || err != nil {
		return err
	}
	return fetch()
}

// install puts the package at root by renaming a complete tree: a root that exists is complete.
func (p npmPackage) install(ctx context.Context, root string) error {
	partial := root + ".partial" // ours alone: the caller holds the lock
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.Mkdir(partial, 0o755); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", partial, "--no-audit", "--no-fund", p.spec())
	npm.Dir = partial // no other project's .npmrc
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", p.spec(), err, out)
	}
	if _, err := os.Stat(filepath.Join(partial, "node_modules", ".bin", p.program)); err != nil {
		return fmt.Errorf("npm installed %s without its program: %w", p.spec(), err)
	}
	return os.Rename(partial, root)
}

func exists(name string) (bool, error) {
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
