//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// scene is a user with a home, a codex on PATH behind the shim, and an account "work" that is the active one.
type scene struct {
	b    *bench
	home string
	path string // PATH
}

// size is what a scene has.
type size struct {
	entries  int // in each of the two homes
	accounts int
}

var everyday = size{entries: 54, accounts: 1}

// scene makes a user whose codex is the program codex, and starts the shim until nothing is left to do.
func (b *bench) scene(name, codex string, s size) (scene, error) {
	u := scene{b: b, home: b.path(name)}
	u.path = strings.Join([]string{b.path("bin"), filepath.Join(u.home, "bin"), "/usr/local/bin", "/usr/bin", "/bin"}, ":")
	if err := os.MkdirAll(filepath.Join(u.home, "bin"), 0o755); err != nil {
		return u, err
	}
	if err := os.Symlink(codex, filepath.Join(u.home, "bin", "codex")); err != nil {
		return u, err
	}
	if err := u.swop("add", "work", "--no-login"); err != nil {
		return u, err
	}
	auth := filepath.Join(u.home, ".swop", "accounts", "work", "home", ".codex", "auth.json") // else each start says that there is none
	if err := os.WriteFile(auth, []byte(`{"OPENAI_API_KEY":"none"}`), 0o600); err != nil {
		return u, err
	}
	if err := u.swop("use", "work"); err != nil {
		return u, err
	}
	for _, dir := range []string{u.home, filepath.Join(u.home, ".codex")} {
		if err := fill(dir, s.entries); err != nil {
			return u, err
		}
	}
	for i := 1; i < s.accounts; i++ {
		if err := u.copyAccount(fmt.Sprintf("account-%d", i)); err != nil {
			return u, err
		}
	}
	return u, u.settle()
}

// fill makes files and directories in dir until it has this many entries.
func fill(dir string, entries int) error {
	there, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for i := len(there); i < entries; i++ {
		name := filepath.Join(dir, fmt.Sprintf("entry%d", i))
		if i%2 == 0 {
			err = os.Mkdir(name, 0o755)
		} else {
			err = os.WriteFile(name, []byte("text\n"), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyAccount adds an account as add does, but faster.
func (u scene) copyAccount(key string) error {
	accounts := filepath.Join(u.home, ".swop", "accounts")
	text, err := os.ReadFile(filepath.Join(accounts, "work", "meta.json"))
	if err != nil {
		return err
	}
	dir := filepath.Join(accounts, key)
	if err := os.MkdirAll(filepath.Join(dir, "home", ".codex"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "meta.json"), []byte(strings.ReplaceAll(string(text), `"work"`, `"`+key+`"`)), 0o600)
}

func (u scene) env() []string { return []string{"HOME=" + u.home, "PATH=" + u.path} }

// codex is a start of codex in the scene.
func (u scene) codex(name string, args ...string) candidate {
	return candidate{name: name, env: u.env(), args: append([]string{u.b.path("bin/codex")}, args...)}
}

func (u scene) swop(args ...string) error {
	cmd := exec.Command(u.b.path("bin/codex"), append([]string{"swop"}, args...)...)
	cmd.Env, cmd.Dir = u.env(), u.home
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("codex swop %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (u scene) configure(line string) error {
	dir := filepath.Join(u.home, ".config", "swop")
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(line+"\n"), 0o600); err != nil {
		return err
	}
	return u.settle()
}

// settle starts codex until file times have settled and nothing is left to do.
func (u scene) settle() error {
	for range 4 {
		cmd := exec.Command(u.b.path("bin/codex"), "--version")
		cmd.Env, cmd.Dir = u.env(), u.home
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("codex: %w: %s", err, out)
		}
		time.Sleep(20 * time.Millisecond) // more than a tick of any clock that files are stamped with
	}
	return nil
}

// machine says where and when the figures were measured.
func machine() string {
	model := "an unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%s (%d processors), Linux %s, %s, on %s", model, runtime.NumCPU(), strings.TrimSpace(string(release)),
		runtime.Version(), time.Now().Format(time.DateOnly))
}
