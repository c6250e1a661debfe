//go:build unix

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// A start-up file that cannot be changed is a warning that names it and the line; everything else goes on, and uninstall is quiet.
func TestStartFileThatCannotBeChanged(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, path string){
		"read-only": func(t *testing.T, path string) { testfile.Put(t, path, "x\n", 0o444) },
		"read-only target": func(t *testing.T, path string) {
			testfile.Put(t, path+"-real", "x\n", 0o444)
			testhome.NoError(t, os.Symlink(path+"-real", path))
		},
		"directory": func(t *testing.T, path string) { testhome.NoError(t, os.Mkdir(path, 0o755)) },
		"dangling":  func(t *testing.T, path string) { testhome.NoError(t, os.Symlink("nowhere", path)) },
		"loop":      func(t *testing.T, path string) { testhome.NoError(t, os.Symlink(path, path)) },
		"fifo":      func(t *testing.T, path string) { testhome.NoError(t, syscall.Mkfifo(path, 0o644)) },
		"UTF-16":    func(t *testing.T, path string) { testfile.Put(t, path, "\xff\xfex\x00", 0o644) },
		"two names": func(t *testing.T, path string) {
			testfile.Put(t, path, "x\n", 0o644)
			testhome.NoError(t, os.Link(path, path+"-other"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "bash")
			rc := h.path(".bashrc")
			put(t, rc)
			r := h.install(t)
			checkWarning(t, r, rc, strings.TrimSuffix(h.line(t, posixEnv), ours+"\n"))
			if !exists(h.path(".profile")) {
				t.Error("the other start-up file was not changed")
			}
			if r := h.install(t); len(r.Changes) != 0 {
				t.Errorf("the second install changed %v", r.Changes)
			}
			h.uninstall(t)
		})
	}
}

func checkWarning(t *testing.T, r Report, file, line string) {
	t.Helper()
	if len(r.Warnings) != 1 {
		t.Fatalf("warnings %q, want one", r.Warnings)
	}
	w := r.Warnings[0]
	if !strings.Contains(w.Text, file) || len(w.Hints) != 1 || w.Hints[0] != line {
		t.Errorf("warning %q with hints %q, want the file %s and the line %s", w.Text, w.Hints, file, line)
	}
}

// A line that the user has edited stays, is not added again, and uninstall says where it is.
func TestEditedLine(t *testing.T) {
	h := newHome(t, "bash")
	h.write(t, ".profile", "")
	h.install(t)
	edited := "x\n" + strings.Replace(h.line(t, posixEnv), ours, " && echo mine", 1)
	h.write(t, ".bashrc", edited)
	said := []Report{h.install(t), h.uninstall(t)}
	for _, r := range said {
		if text := readFile(t, h.path(".bashrc")); text != edited {
			t.Errorf(".bashrc is %q, want it as the user wrote it", text)
		}
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, h.path(".bashrc")+": has a line of swop that was edited") {
			t.Errorf("warnings %q, want one about the edited line", r.Warnings)
		}
	}
	if out := h.run(t, "bash", "-ic", "true"); strings.Contains(out, "env") {
		t.Errorf("after uninstall the edited line prints %q", out)
	}
}

func TestUnknownShell(t *testing.T) {
	h := newHome(t, "/usr/bin/tcsh")
	r := h.install(t)
	checkWarning(t, r, `"/usr/bin/tcsh"`, LineFor("", h.bin()))
}

// What root may do anyway is tried as an ordinary user.
func TestNoPermission(t *testing.T) {
	if asUser(t) {
		return
	}
	t.Run("home not writable", func(t *testing.T) {
		h := newHome(t, "bash")
		h.write(t, ".bashrc", "x")
		h.write(t, "p/a", "")
		h.o.Prefix = h.path("p/q")
		before := snapshot(t, h.o.Home)
		testfile.Chmod(t, h.o.Home, 0o555)
		if r := h.install(t); len(r.Warnings) != 2 {
			t.Errorf("warnings %q, want one for .bashrc and one for .profile", r.Warnings)
		}
		h.uninstall(t)
		testfile.Chmod(t, h.o.Home, 0o755)
		before.same(t, h.o.Home)
	})
	t.Run("prefix not writable", func(t *testing.T) {
		h := newHome(t, "bash")
		h.write(t, "p/a", "")
		h.o.Prefix = h.path("p/q")
		testfile.Chmod(t, h.path("p"), 0o555)
		before := snapshot(t, h.o.Home)
		if _, err := Install(h.o); err == nil || !strings.Contains(err.Error(), h.path("p/q")) {
			t.Errorf("Install into a read-only prefix: %v, want an error with its path", err)
		}
		before.same(t, h.o.Home)
		testfile.Chmod(t, h.path("p"), 0o755)
	})
}

const nobody = 65534

// asUser does nothing if this is an ordinary user. For root it runs the same test in a copy of this program as one, and returns true.
func asUser(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	defer syscall.Umask(syscall.Umask(0o022)) // the other user must be able to read
	dir := t.TempDir()
	testfile.Chmod(t, filepath.Dir(dir), 0o755)
	tmp := filepath.Join(dir, "tmp")
	testhome.NoError(t, os.Mkdir(tmp, 0o755))
	testhome.NoError(t, os.Chown(tmp, nobody, nobody))
	self, err := os.Executable()
	testhome.NoError(t, err)
	program := filepath.Join(dir, "test")
	testhome.NoError(t, copyOver(self, program))
	for _, name := range programNames {
		testhome.NoError(t, copyOver(filepath.Join(standIns(t, "v1"), name), filepath.Join(dir, name)))
	}
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = tmp
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp, "STAND_INS="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as uid %d: %v\n%s", nobody, err, out)
	}
	return true
}
