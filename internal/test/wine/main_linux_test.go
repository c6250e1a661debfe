// Package wine tests the programs for Windows on Linux, under Wine, with the real Codex CLI for Windows. What Wine does not have,
// junctions and consoles, is tested by tables in package internal/disk/sys, and on Windows: see docs/windows.md.
package wine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

const (
	patience = 2 * time.Minute  // for one call: Wine starts a session of its own first
	ages     = 10 * time.Minute // for builds, and what npm fetches
	compiler = "x86_64-w64-mingw32-gcc"
)

func TestMain(m *testing.M) {
	status := testhome.Suite{Tests: m, Programs: []string{"wine", compiler, "npm", testprogram.Codex, testprogram.Repeats}}.Run()
	if made.dir != "" {
		end(made.dir)
	}
	os.Exit(status)
}

// made is the Windows that all tests get a copy of: a prefix of Wine with the programs in it.
var made struct {
	once sync.Once
	err  error
	dir  string
}

// user is the user of a Windows of a test's own.
type user struct {
	t       *testing.T
	dir     string   // what Wine keeps it in
	profile string   // the directory of the profile
	name    string   // of the user
	path    []string // of the processes
	input   string   // what the next call reads
}

func environment(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH") + ":/usr/lib/wine", "HOME=" + dir, "WINEPREFIX=" + filepath.Join(dir, "prefix"), "WINEDEBUG=-all",
		"WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d", "LANG=C.UTF-8", "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"),
	}
}

// end ends what runs in a Windows, and removes it.
func end(dir string) {
	stop(dir)
	_ = os.RemoveAll(dir)
}

// stop ends what runs in a Windows, and waits for that.
func stop(dir string) {
	for _, flag := range []string{"-k", "-w"} {
		cmd := exec.Command("wineserver", flag)
		cmd.Env = environment(dir)
		_ = cmd.Run() // it may have ended
	}
}

func drive(dir string) string { return filepath.Join(dir, "prefix", "drive_c") }

// windows returns the user of a new Windows, with swop first on its PATH.
func windows(t *testing.T) *user {
	t.Helper()
	testhome.Needs(t, "wine", compiler)
	t.Parallel()
	made.once.Do(func() { made.err = makeWindows() })
	testhome.NoError(t, made.err)
	u := &user{t: t, path: []string{`C:\swop`}}
	var err error
	u.dir, err = os.MkdirTemp("", "swop-wine-")
	testhome.NoError(t, err)
	t.Cleanup(func() { end(u.dir) })
	for _, args := range [][]string{
		{"cp", "-al", filepath.Join(made.dir, "prefix"), u.dir}, // the programs, which nobody changes
		{"sh", "-c", `cp -a --remove-destination "$0"/*.reg "$1"`, filepath.Join(made.dir, "prefix"), filepath.Join(u.dir, "prefix")},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	server := exec.Command("wineserver", "-p60") // else each call that comes late starts it again
	server.Env = environment(u.dir)
	testhome.NoError(t, server.Run())
	users, err := os.ReadDir(filepath.Join(drive(u.dir), "users"))
	testhome.NoError(t, err)
	for _, entry := range users {
		if entry.Name() != "Public" {
			u.name = entry.Name()
		}
	}
	u.profile = filepath.Join(drive(u.dir), "users", u.name)
	return u
}

// makeWindows makes the prefix. Go's runtime asks bcryptprimitives.dll for random numbers, which Wine 8 does not have.
func makeWindows() error {
	ctx, cancel := context.WithTimeout(context.Background(), ages)
	defer cancel()
	var err error
	if made.dir, err = os.MkdirTemp("", "swop-wine-"); err != nil {
		return err
	}
	overlay, err := writeOverlay(made.dir)
	if err != nil {
		return err
	}
	run := func(name string, args ...string) error {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = environment(made.dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %q: %w\n%s", name, args, err, out)
		}
		return nil
	}
	build := func(to, pkg string) error {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s", "-overlay", overlay, "-o", filepath.Join(drive(made.dir), to), pkg)
		cmd.Dir = "../../.."
		cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
		return nil
	}
	if err := run("wine", "cmd", "/c", "exit 0"); err != nil {
		return err
	}
	dll := filepath.Join(drive(made.dir), "windows", "system32", "bcryptprimitives.dll")
	defer stop(made.dir)
	return errors.Join(
		run(compiler, "-shared", "-o", dll, "testdata/bcryptprimitives.c", "-ladvapi32"),
		build("swop/codex.exe", "./shim/codex"),
		build("swop/codex-swop.exe", "./manager/codex-swop"),
		build("fake/codex.exe", "./internal/test/wine/testdata/fake"),
	)
}

// writeOverlay writes for go build's flag -overlay that a link of Linux takes the place of a junction, which Wine 8 does not have.
func writeOverlay(dir string) (string, error) {
	replace := map[string]string{}
	for _, name := range []string{"junction_windows.go", "linux_windows_amd64.s"} {
		there, err := filepath.Abs(filepath.Join("../../disk/sys", name))
		ours, err2 := filepath.Abs(filepath.Join("testdata/overlay", name))
		if err := errors.Join(err, err2); err != nil {
			return "", err
		}
		replace[there] = ours
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	file := filepath.Join(dir, "overlay.json")
	return file, errors.Join(err, os.WriteFile(file, text, 0o600))
}

// at returns the path that Windows has for one on drive C.
func at(elem ...string) string { return `C:\` + strings.Join(elem, `\`) }

// win returns the path of a file in the profile.
func (u *user) win(elem ...string) string {
	return at(append([]string{"users", u.name}, elem...)...)
}

// home returns the codex home of an account, "" for the shared one.
func (u *user) home(key string) string {
	if key == "" {
		return filepath.Join(u.profile, ".codex")
	}
	return filepath.Join(u.profile, ".swop", "accounts", key, "home", ".codex")
}

// result is how a call ended.
type result struct {
	status      int
	out, stderr string
}

// cmd returns a call of a program with these variables.
func (u *user) cmd(ctx context.Context, env []string, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "wine", append([]string{program}, args...)...)
	cmd.Env = append(environment(u.dir), "WINEPATH="+strings.Join(u.path, ";"))
	cmd.Env = append(cmd.Env, env...)
	cmd.Dir = u.profile
	cmd.WaitDelay = time.Second // services of Windows that it started have our pipes, too
	cmd.Stdin = strings.NewReader(u.input)
	return cmd
}

// call runs codex with these arguments, as the account with this key, "" for the one that is chosen.
func (u *user) call(key string, args ...string) result {
	u.t.Helper()
	var env []string
	if key != "" {
		env = []string{"SWOP_ACCOUNT=" + key}
	}
	return u.run(env, args...)
}

// run runs codex with these variables and arguments. Where Wine could not start the program that swop runs, which happens once in hundreds
// of calls on a busy machine (ERROR_INTERNAL_ERROR, which Windows does not give here), nothing ran, and the call is made once more.
func (u *user) run(env []string, args ...string) result {
	u.t.Helper()
	input := u.input
	r := u.runOnce(env, args...)
	if r.status == 126 && strings.HasSuffix(r.stderr, "codex.exe: Internal error.\n") {
		u.input = input
		return u.runOnce(env, args...)
	}
	return r
}

func (u *user) runOnce(env []string, args ...string) result {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := u.cmd(ctx, env, at("swop", "codex.exe"), args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	u.input = ""
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) || ctx.Err() != nil {
		u.t.Fatalf("codex %q: %v\n%s", args, err, stderr.String())
	}
	return result{cmd.ProcessState.ExitCode(), clean(&out), clean(&stderr)}
}

// wineError is what Wine itself says on a busy machine, of a process that ends.
var wineError = regexp.MustCompile(`(?m)^wine client error:.*\n`)

func clean(text *bytes.Buffer) string {
	return wineError.ReplaceAllString(strings.ReplaceAll(text.String(), "\r\n", "\n"), "")
}

// ok is call, which must succeed.
func (u *user) ok(key string, args ...string) result {
	u.t.Helper()
	r := u.call(key, args...)
	if r.status != 0 {
		u.t.Fatalf("codex %q ended with %d\n%s%s", args, r.status, r.out, r.stderr)
	}
	return r
}

// realCodex puts the real codex for Windows on PATH, behind the shim.
func (u *user) realCodex(version string) {
	u.t.Helper()
	testhome.Needs(u.t, "npm", testprogram.Codex)
	ctx, cancel := context.WithTimeout(context.Background(), ages)
	defer cancel()
	cache, err := realcodex.CacheDir()
	testhome.NoError(u.t, err)
	vendor, err := realcodex.Windows(ctx, cache, version)
	testhome.NoError(u.t, err)
	dir := filepath.Join(drive(u.dir), "real-"+version)
	if !testhome.Exists(dir) {
		testhome.NoError(u.t, os.Symlink(vendor, dir)) // Windows programs take it for a directory
	}
	u.path = append(u.path, at("real-"+version))
}
