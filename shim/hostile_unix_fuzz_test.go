//go:build unix

package shim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// FuzzPath has any PATH: what is found is an executable regular file named codex, in an absolute directory of it, that is not the shim.
func FuzzPath(f *testing.F) {
	base := f.TempDir()
	for _, dir := range []string{"shim", "real", "empty", "directory/codex"} {
		testhome.NoError(f, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	shim, real := filepath.Join(base, "shim", "codex"), filepath.Join(base, "real", "codex")
	testhome.NoError(f, errors.Join(os.WriteFile(shim, nil, 0o755), os.WriteFile(real, nil, 0o755)))
	var st unix.Stat_t
	testhome.NoError(f, unix.Stat(shim, &st))
	for _, seed := range []string{
		"", ":", "::", ".", "B/shim", "B/shim:B/real", "B/real/", "B//real", "B/shim/../real", "real", "B/real/codex", "B/directory:B/empty:B/real", "B/\x00", "B/\xff:B/real",
		"/mnt/c/x:B/real", "/mnt/c", "/mnt/", "B/real" + strings.Repeat("/", 5000), strings.Repeat("B/shim:", 300) + "B/real", "~", "$HOME", "B/real\n",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, path string, wsl bool) {
		path = strings.ReplaceAll(path, "B", base)
		p, err := FindReal(path, []FileID{idOf(&st)}, wsl)
		if err != nil {
			if p != (Program{}) || !errors.Is(err, ErrNoCodex) {
				t.Errorf("FindReal(%q) = %+v, %v", path, p, err)
			}
			return
		}
		dir := strings.TrimSuffix(p.Path, "/codex")
		info, err := os.Stat(p.Path)
		switch {
		case err != nil, !info.Mode().IsRegular(), info.Mode()&0o111 == 0:
			t.Errorf("FindReal(%q) = %q, which is %v, %v", path, p.Path, info, err)
		case !filepath.IsAbs(dir), !slices.Contains(filepath.SplitList(path), dir), p.ID == idOf(&st):
			t.Errorf("FindReal(%q) = %q: not of this PATH, relative, or the shim", path, p.Path)
		case wsl && strings.HasPrefix(dir, "/mnt/c/"):
			t.Errorf("FindReal(%q) = %q, on Windows' drive", path, p.Path)
		}
	})
}

// FuzzArguments reads any arguments as codex's: they are looked at, and never changed.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		"", "exec\nhi", "login", "--\nlogin", "-c\nforced_login_method=1", "-cforced", "-c=x", "--config\na\nlogin", "--config=a", "-C\n/x", "-p", "--profile", "-C", "\x00", "-c\n", "login\nstatus", "swop", "-p\nx\n-C\n../\n--cd=\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		args := append([]string{"codex"}, strings.Split(joined, "\n")...)
		before := slices.Clone(args)
		call := codexCall(args)
		if len(call.Overrides)+len(call.Profiles) > len(args) {
			t.Errorf("%q reads as %+v", args, call)
		}
		if dir := NamedDir(args, "/work"); dir != "" && !filepath.IsAbs(dir) {
			t.Errorf("%q names the directory %q", args, dir)
		}
		name, _ := subcommand(args)
		if name != "" && !slices.Contains(args[1:], name) {
			t.Errorf("%q has the subcommand %q", args, name)
		}
		if ChangesLogin(args) && name != "login" && name != "logout" {
			t.Errorf("%q changes the login, and is %q", args, name)
		}
		if !slices.Equal(args, before) {
			t.Errorf("%q became %q", before, args)
		}
	})
}
