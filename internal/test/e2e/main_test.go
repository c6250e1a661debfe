//go:build linux

package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

// patience bounds every wait for an event: far above the second that a step takes, even on a busy machine.
const patience = 60 * time.Second

// ages bounds what builds all of swop, or fetches codex from npm.
const ages = 10 * time.Minute

// complete asks for what the ordinary run takes samples of, as .ci/nightly does:
//
//	go test ./internal/test/e2e -complete -timeout 40m
var complete = flag.Bool("complete", false, "test each kind of release and shell where the ordinary run tests some")

// sampled returns all with -complete, else those of the ordinary run.
func sampled[T any](all []T, ordinary ...T) []T {
	if *complete {
		return all
	}
	return ordinary
}

// programs are what every test runs, made once.
type programs struct {
	swop string // the directory of this module's binaries
	real string // the directory of the real codex
	node string // the directory of node, which the real codex's launcher needs
}

// buildDir is removed when all tests are done.
var buildDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "swop-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	suite := testhome.Suite{Tests: m, Programs: []string{
		testprogram.Codex, testprogram.Repeats, testprogram.UserNS, "tmux", "zsh", "fish", "direnv",
		"bwrap", "strace", "npm", "node", "dpkg-deb", "rpm",
	}}
	status := suite.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// built makes the binaries at the first call, and empty answers for codex, which asks these at each start, twice: Debian's lsb_release is a
// script of nine processes.
var built = sync.OnceValue(func() error { return errors.Join(testbuild.Programs(buildDir), answerNothing(buildDir)) })

func answerNothing(dir string) error {
	return errors.Join(os.Symlink("/bin/true", filepath.Join(dir, "lsb_release")), os.Symlink("/bin/true", filepath.Join(dir, "getconf")))
}

// What is installed at the first call: the real codex, a Node with process.execve, and mise.
var (
	installed = sync.OnceValues(func() (string, error) {
		return install(func(ctx context.Context, cache string) (string, error) {
			return realcodex.Install(ctx, cache, realcodex.Version)
		})
	})
	installedNode = sync.OnceValues(func() (string, error) { return nodeOf(realcodex.Nodes[len(realcodex.Nodes)-1]) })
	miseProgram   = sync.OnceValues(func() (string, error) { return install(realcodex.Mise) })
)

// nodeOf installs a release of Node.
func nodeOf(version string) (string, error) {
	return install(func(ctx context.Context, cache string) (string, error) { return realcodex.Node(ctx, cache, version) })
}

func install(provide func(ctx context.Context, cache string) (string, error)) (string, error) {
	cache, err := realcodex.CacheDir()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return provide(ctx, cache)
}

// cacheDir is on a disk, and not in the system's temporary directory, where codex makes no helper links, and warns.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "swop-test"), err
}

// realPrograms returns the real codex and what it needs.
func realPrograms(t *testing.T) programs {
	t.Helper()
	testhome.Needs(t, testprogram.Codex)
	real, err := installed()
	if err != nil {
		t.Fatalf("no real Codex CLI %s: %v", realcodex.Version, err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("no node for the real Codex CLI: %v", err)
	}
	return programs{real: real, node: filepath.Dir(node)}
}

// allPrograms returns realPrograms and this module's own.
func allPrograms(t *testing.T) programs {
	t.Helper()
	p := realPrograms(t)
	testhome.NoError(t, built())
	p.swop = buildDir
	return p
}
