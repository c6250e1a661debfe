//go:build unix

package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/store"
	"swop/say"
)

// Invocation is what a call finds: who calls, where swop's files are, and what they say. Files are read when they are asked for.
type Invocation struct {
	Caller
	config.Places
	// Root is root.json; its SharedHome.Path is "" until the root is made.
	Root account.Root
	// Found says that the caller has found the account that is to be entered: where it is gone then, it is not made anew.
	Found bool
}

// Look finds the scene of a process with the environment env. Inside a session whose environment no longer leads to its root
// (SWOP_ROOT or XDG_STATE_HOME were filtered), the sandbox's own path and root.json do.
func Look(env config.Env) (Invocation, error) {
	s := Invocation{Caller: FindCaller(env)}
	var err error
	if s.Places, err = config.Locate(s.Env, passwdHome); err != nil {
		return s, err
	}
	stray := s.Session != nil && s.Env.Value("SWOP_ROOT") == "" && s.Places.Root != s.Session.Root
	if stray {
		s.Places.Root = s.Session.Root
	}
	s.Root, err = store.ReadRoot(s.Places.Root)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		err = nil // a root that is no directory is refused when an account is chosen
	}
	if stray && s.Root.Config != "" {
		s.Places.Config = s.Root.Config
	}
	if s.Env.Value("SWOP_ALLOW_ROOT") == "1" {
		s.Owner = s.homeOwner()
	}
	return s, err
}

func passwdHome() (string, error) {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

func (s Invocation) homeOwner() int {
	var st unix.Stat_t
	if unix.Stat(s.Home, &st) != nil {
		return 0
	}
	return int(st.Uid)
}

// Owned refuses to work in the home of another user, as sudo makes one do: what is made there would not be his.
func (s *Invocation) Owned() error {
	var st unix.Stat_t
	if err := unix.Stat(s.Home, &st); err != nil {
		err := &fs.PathError{Op: "stat", Path: s.Home, Err: err}
		return say.WithHint(fmt.Errorf("the home directory cannot be used: %w", err), `export HOME="/path/to/your/home"`)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return say.WithHint(fmt.Errorf("the home directory cannot be used: %s is not a directory", s.Home), `export HOME="/path/to/your/home"`)
	}
	if int(st.Uid) == os.Geteuid() || s.Env.Value("SWOP_ALLOW_ROOT") == "1" {
		return nil
	}
	err := fmt.Errorf("%w: you are uid %d, but HOME, %s, belongs to uid %d", disk.ErrUnsafe, os.Geteuid(), s.Home, st.Uid)
	return say.WithHint(err, "run codex without sudo, or with SWOP_BYPASS=1, or accept what root's codex makes there with SWOP_ALLOW_ROOT=1")
}

// SharedHome is the codex home that the accounts share: the recorded one, or the one in force where none is recorded yet.
func (s Invocation) SharedHome() string {
	if s.Root.SharedHome.Path != "" {
		return s.Root.SharedHome.Path
	}
	if home := s.Env.Value("CODEX_HOME"); home != "" {
		if abs, err := filepath.Abs(home); err == nil {
			return abs
		}
	}
	return filepath.Join(s.Home, ".codex")
}

// Choose returns the account that codex runs as here. Settings that it needs and that cannot be read are errors: another account
// than the one meant is never used.
func (s *Invocation) Choose() (Choice, error) {
	choice, err := s.choose(config.ReadSelector)
	if err != nil {
		err = s.blame(err)
	}
	return choice, err
}

func (s *Invocation) choose(read func(config.Places) (config.Selector, error)) (Choice, error) {
	switch {
	case s.ownHome() && s.Account != "":
		err := fmt.Errorf("both SWOP_ACCOUNT (%q) and a CODEX_HOME of your own (%s) are set", s.Account, s.Env.Value("CODEX_HOME"))
		return Choice{}, say.WithHint(err, "unset one of them")
	case s.ownHome():
		return Choice{Why: ByOwnHome}, nil
	case s.Account != "":
		return Choice{Label: s.Account, Why: ByVariable}, nil
	case s.Session != nil && sameDir(s.Session.Root, s.Places.Root):
		return Choice{Label: s.Session.Key, Why: BySession}, nil
	}
	selector, err := read(s.Places)
	if err != nil {
		return Choice{}, err
	}
	return chooseSelected(selector, workingDir)
}

// blame returns the refusal to work in another user's home where that is what makes his files look foreign, else err.
func (s *Invocation) blame(err error) error {
	if owned := s.Owned(); owned != nil {
		return owned
	}
	return err
}

// ownHome reports whether the caller brought a codex home that is not ours to replace.
func (s *Invocation) ownHome() bool {
	home := s.Env.Value("CODEX_HOME")
	if home == "" || s.Root.SharedHome.Path == "" || home == s.Root.SharedHome.Path {
		return false
	}
	theirs, err := os.Stat(home)
	if err != nil {
		return true
	}
	ours, err := os.Stat(s.Root.SharedHome.Path)
	return err != nil || !os.SameFile(theirs, ours)
}

// sameDir reports whether two paths are one directory: SWOP_ROOT may be spelled otherwise than the HOME that was made of it.
func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	var one, other unix.Stat_t
	return unix.Stat(a, &one) == nil && unix.Stat(b, &other) == nil && idOf(&one) == idOf(&other)
}

// workingDir returns the working directory as the kernel knows it, links resolved.
func workingDir() (string, error) {
	dir, err := getwd()
	if err != nil {
		return "", say.WithHint(fmt.Errorf("the working directory decides on the account, and cannot be told: %w", err), "cd to a directory that exists")
	}
	return dir, nil
}

// getwd is unix.Getwd, whose buffer of 4096 bytes would make the stack grow, for paths of a common length.
func getwd() (string, error) {
	var buf [512]byte
	n, err := unix.Getcwd(buf[:])
	if err != nil || n < 2 || buf[0] != '/' {
		return unix.Getwd()
	}
	return string(buf[:n-1]), nil
}
