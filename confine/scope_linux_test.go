package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/view"
	"swop/internal/testhome"
)

// newScope returns the scope of a session that works in home/project.
func newScope(t testing.TB) (*Scope, string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	for _, dir := range []string{".swop/accounts/other", ".codex", ".config/swop", "project/.git/hooks", "data/in", ".aws/in", "bin"} {
		testhome.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	testhome.NoError(t, os.WriteFile(filepath.Join(home, ".bashrc"), nil, 0o600))
	testhome.NoError(t, os.WriteFile(filepath.Join(home, "data/file"), nil, 0o600))
	for name, to := range map[string]string{
		"data/link": "in", "data/dangling": "../data/none/x", "data/absolute": home + "/data/in", "data/loop": "loop", "data/top": home + "/.swop",
		"data/accounts": "../.swop/accounts", "data/up": "..", "project/away": home + "/data",
	} {
		testhome.NoError(t, os.Symlink(to, filepath.Join(home, name)))
	}
	scene := &Scene{
		Policy: Policy{Mode: config.ConfineWorkspace, Hidden: []string{home + "/.aws"}}, Home: home, SandboxHome: home + "/.swop/accounts/work/home",
		SharedHome: home + "/.codex", Root: home + "/.swop", Config: home + "/.config/swop", Workspace: WorkspaceOf(home+"/project", home), Programs: []string{home + "/bin"},
		Protected: []string{home + "/.bashrc"}, Own: home + "/.swop/accounts/work/databases", View: view.View{Dir: home + "/.swop/view"}, Hidden: []string{home + "/.netrc"},
	}
	scope, err := scene.Scope()
	testhome.NoError(t, err)
	return scope, home
}

func TestAllowed(t *testing.T) {
	scope, home := newScope(t)
	for _, tt := range []struct{ path, want, refused string }{
		{path: "~/data", want: "~/data"},
		{path: "~//data/./in/", want: "~/data/in"},
		{path: "~/data/link/new", want: "~/data/in/new"},
		{path: "~/data/link/../file", want: "~/data/file"}, // not what is cleaned
		{path: "~/data/absolute/..", want: "~/data"},
		{path: "~/data/dangling", want: "~/data/none/x"},
		{path: "~/data/none/x/y", want: "~/data/none/x/y"},
		{path: "~/.swop/accounts/work/home/data/in", want: "~/data/in"},
		{path: "~/project/away/in", want: "~/data/in"},
		{path: "~/.aws", want: "~/.aws"},
		{path: "~/.aws/in/x", want: "~/.aws/in/x"},
		{path: "", refused: "not absolute"},
		{path: "data", refused: "not absolute"},
		{path: "~/data\x00", refused: "a NUL"},
		{path: "~/data/" + strings.Repeat("x/", desk.MaxPath), refused: "too long"},
		{path: "~/data/none/../file", refused: ".. in what does not exist"},
		{path: "~/.aws/none/../in", refused: ".. in what does not exist"},
		{path: "~/data/dangling/../x", refused: ".. in what does not exist"},
		{path: "~/data/file/x", refused: "through a file"},
		{path: "~/data/file/..", refused: "through a file"},
		{path: "~/data/loop", refused: "too many links"},
		{path: "/", refused: never},
		{path: "~", refused: never},
		{path: "~/data/up", refused: never},
		{path: "~/..", refused: never},
		{path: "~/.swop", refused: never},
		{path: "~/.swop/accounts/other", refused: never},
		{path: "~/.swop/accounts/missing/x", refused: never},
		{path: "~/.swop/accounts/work/home/.codex/auth.json", refused: never},
		{path: "~/data/top/accounts/other", refused: never},
		{path: "~/data/accounts/other", refused: never},
		{path: "~/.codex/auth.json", refused: never},
		{path: "~/.config", refused: never},
		{path: "~/.config/swop/config.toml", refused: never},
		{path: "~/bin/new", refused: never},
		{path: "~/.bashrc", refused: never},
		{path: "~/.netrc", refused: never},
	} {
		got, err := scope.Allowed(strings.Replace(tt.path, "~", home, 1))
		if want := strings.Replace(tt.want, "~", home, 1); got != want || (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("Allowed(%.80q) = %q, %v, want %q, %q", tt.path, got, err, tt.want, tt.refused)
		}
		var violation *Violation
		if err != nil && !errors.As(err, &violation) {
			t.Errorf("Allowed(%.80q) fails with %T", tt.path, err)
		}
	}
}

func TestMissing(t *testing.T) {
	scope, home := newScope(t)
	for _, tt := range []struct {
		path    string
		to      desk.Access
		missing bool
		refused string
	}{
		{path: "~/data", to: desk.ToWrite, missing: true},
		{path: "~/data/file", to: desk.ToWrite, missing: true},
		{path: "~/data/file", to: desk.ToRead},
		{path: "~/project/x", to: desk.ToWrite},
		{path: "~/.aws", to: desk.ToRead, missing: true},
		{path: "~/.aws", to: desk.ToWrite, missing: true},
		{path: "~/.aws/in", to: desk.ToRead, missing: true, refused: "ask for all of"},
		{path: "~/data/none", to: desk.ToWrite, missing: true, refused: "does not exist"},
		{path: "~/project/.git/hooks", to: desk.ToWrite, missing: true, refused: "read-only in every session"},
		{path: "/run/user", to: desk.ToRead, missing: true, refused: "session's own"},
		{path: "/proc/1", to: desk.ToWrite, missing: true, refused: "belongs to the system"},
		{path: "/sys/kernel", to: desk.ToWrite, missing: true, refused: "belongs to the system"},
		{path: "/var", to: desk.ToWrite, missing: true, refused: "shared with all programs"},
	} {
		got, err := scope.Missing(strings.Replace(tt.path, "~", home, 1), tt.to)
		if got != tt.missing || (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("Missing(%q, %v) = %v, %v, want %v, %q", tt.path, tt.to, got, err, tt.missing, tt.refused)
		}
	}
}

// FuzzAllowed: what is allowed is clean, absolute, leads through no link, and is never a part of what is swop's, nor contains it.
func FuzzAllowed(f *testing.F) {
	scope, home := newScope(f)
	for _, seed := range []string{"/data/link/../file", "/.swop/accounts/work/home/../..", "/data/up/.swop", "//.aws/../.codex", "/data/dangling/\x00", "/project/away/../.."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := scope.Allowed(home + path)
		if err != nil {
			return
		}
		if got != filepath.Clean(got) || !filepath.IsAbs(got) || scope.isNever(got) || scope.contains(got) {
			t.Fatalf("Allowed(%q) = %q", path, got)
		}
		if real, err := filepath.EvalSymlinks(got); err == nil && real != got {
			t.Fatalf("Allowed(%q) = %q, which leads to %q", path, got, real)
		}
		if real, err := filepath.EvalSymlinks(home + path); err == nil && !strings.HasPrefix(path, "/.swop") && scope.Hidden(got) == "" && real != got {
			t.Fatalf("Allowed(%q) = %q, the kernel opens %q", path, got, real)
		}
	})
}
