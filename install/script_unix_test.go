//go:build unix

package install

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// A clone is a directory with install.sh and as much of the rest as the script looks at.
type clone struct {
	dir  string
	work string // the working directory of the script
	env  config.Env
}

// newClone returns a clone whose programs print their arguments, and a Go of the given version that "builds" them.
func newClone(t *testing.T, goVersion string) clone {
	t.Helper()
	c := clone{dir: filepath.Join(t.TempDir(), "my clone"), work: t.TempDir()}
	bin, home := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "home")
	for _, dir := range []string{c.dir, filepath.Join(c.dir, "manager"), filepath.Join(c.dir, "manager", "codex-swop"), bin, home} {
		testhome.NoError(t, os.Mkdir(dir, 0o755))
	}
	testfile.Put(t, filepath.Join(c.dir, "install.sh"), readFile(t, "../install.sh"), 0o755)
	testfile.Put(t, filepath.Join(c.dir, "go.mod"), "module swop\n\ngo 1.26.0\n", 0o644)
	testfile.Put(t, filepath.Join(c.dir, "codex-swop"), "#!/bin/sh\nprintf '[%s]' \"$@\"\n", 0o755)
	if goVersion != "" {
		testfile.Put(t, filepath.Join(bin, "go"), fakeGo(goVersion), 0o755)
	}
	testfile.Put(t, filepath.Join(bin, "npm"), "#!/bin/sh\n", 0o755)
	c.env = config.Env{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin", "TMPDIR=" + home}
	return c
}

func fakeGo(version string) string {
	return `#!/bin/sh
case $1 in
env) echo '` + version + `' ;;
build)
	[ "$CGO_ENABLED" = 0 ] || exit 9
	for out; do [ "$before" = -o ] && break; before=$out; done
	cp codex-swop "$out" || exit
	[ ! -e codex ] || cp codex "$out" ;;
esac
`
}

// run runs install.sh from another directory and returns what it prints and its exit status.
func (c clone) run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(c.dir, "install.sh"), args...)
	cmd.Env, cmd.Dir = c.env, c.work
	var out, err strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil {
		if _, ok := errors.AsType[*exec.ExitError](e); !ok {
			t.Fatal(e)
		}
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

func TestScriptArguments(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string // the program's arguments after install --from DIR, or its arguments
	}{
		{nil, ""},
		{[]string{"--prefix", "/a b"}, "[--prefix][/a b]"},
		{[]string{"--prefix=/it's"}, "[--prefix][/it's]"},
		{[]string{"--no-modify-path", "--yes"}, "[--no-modify-path]"},
		{[]string{"--uninstall"}, "[uninstall]"},
		{[]string{"--uninstall", "--purge", "-y"}, "[uninstall][--purge][--yes]"},
		{[]string{"--uninstall", "--purge", "--delete-sessions"}, "[uninstall][--purge][--delete-sessions]"},
	} {
		c := newClone(t, "go1.26.1")
		out, stderr, status := c.run(t, tt.args...)
		if rest, ok := strings.CutPrefix(out, "[install][--from]["+c.env.Value("TMPDIR")+"/swop-install."); ok {
			_, out, _ = strings.Cut(rest, "]")
		}
		if out != tt.want || status != 0 || stderr != "" {
			t.Errorf("install.sh %q runs codex-swop %q, status %d, stderr %q, want %q", tt.args, out, status, stderr, tt.want)
		}
		if left, err := os.ReadDir(c.env.Value("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("install.sh %q left %v (%v)", tt.args, left, err)
		}
	}
}

// With --with-codex npm installs below the prefix what is missing; what it prints is seen where it fails, and nothing is installed then.
func TestScriptWithCodex(t *testing.T) {
	c := newClone(t, "go1.26.1")
	npm := filepath.Join(c.env.Value("PATH")[:strings.Index(c.env.Value("PATH"), ":")], "npm")
	testfile.Put(t, filepath.Join(c.dir, "codex"), "#!/bin/sh\n[ $1 = --version ] && exit 127\n", 0o755)
	testfile.Put(t, npm, "#!/bin/sh\nprintf '(%s)' \"$@\" >>\"$HOME/npm\"\necho broken >&2\n[ ! -e \"$HOME/fail\" ]\n", 0o755)
	out, stderr, status := c.run(t, "--with-codex", "--prefix", "/a b")
	if got := readFile(t, filepath.Join(c.env.Value("HOME"), "npm")); !strings.HasPrefix(got, "(install)(-g)(--prefix)(/a b/npm)(@openai/codex)") {
		t.Errorf("install.sh runs npm %q", got)
	}
	if status != 0 || stderr != "" || !strings.HasPrefix(out, "npm      /a b/npm/bin/codex\n[install]") {
		t.Errorf("install.sh --with-codex: status %d, stdout %q, stderr %q", status, out, stderr)
	}
	testfile.Put(t, filepath.Join(c.env.Value("HOME"), "fail"), "", 0o644)
	out, stderr, status = c.run(t, "--with-codex")
	if status != 1 || out != "" || !strings.HasPrefix(stderr, "broken\nswop: npm could not install the real Codex") {
		t.Errorf("where npm fails: status %d, stdout %q, stderr %q", status, out, stderr)
	}
	testfile.Put(t, filepath.Join(c.dir, "codex"), "#!/bin/sh\n", 0o755)
	if out, stderr, status := c.run(t, "--with-codex"); status != 0 || stderr != "" || !strings.HasPrefix(out, "[install]") {
		t.Errorf("with a real codex: status %d, stdout %q, stderr %q", status, out, stderr)
	}
}

func TestScriptRelativePrefix(t *testing.T) {
	c := newClone(t, "go1.26.1")
	where, err := filepath.EvalSymlinks(c.work)
	testhome.NoError(t, err)
	if out, _, _ := c.run(t, "--prefix", "./x"); !strings.HasSuffix(out, "[--prefix]["+where+"/./x]") {
		t.Errorf("install.sh --prefix ./x runs codex-swop %q", out)
	}
}

func TestScriptUsage(t *testing.T) {
	c := newClone(t, "go1.26.1")
	for _, args := range [][]string{
		{"--prefix"},
		{"--prefix="},
		{"--nope"},
		{"x"},
		{"--purge"},
		{"--delete-sessions"},
		{"--uninstall", "--delete-sessions"},
		{""},
		{"--uninstall", "--no-modify-path"},
		{"--with-codex", "--uninstall"},
	} {
		if out, stderr, status := c.run(t, args...); status != 2 || out != "" || !strings.Contains(stderr, "hint: ./install.sh --help") {
			t.Errorf("install.sh %q: status %d, stdout %q, stderr %q, want 2 and a hint", args, status, out, stderr)
		}
	}
	if out, stderr, status := c.run(t, "--help"); status != 0 || stderr != "" || !strings.Contains(out, "--no-modify-path") {
		t.Errorf("install.sh --help: status %d, stdout %q, stderr %q", status, out, stderr)
	}
}

func TestScriptGoVersion(t *testing.T) {
	for version, fits := range map[string]bool{
		"go1.26": true, "go1.26.8": true, "go1.27rc1": true, "go1.100": true, "go2.0": true, "devel go1.27-abc": true, "go1.26.8-X:nodwarf5": true,
		"go1.25.9": false, "go1.3": false, "": false, "nonsense": false,
	} {
		out, stderr, status := newClone(t, version).run(t)
		if version == "" {
			continue // there may be a Go in the usual place
		}
		if fits != (status == 0) || !fits && (out != "" || !strings.Contains(stderr, "1.26 or newer") || !strings.Contains(stderr, "go.dev/dl")) {
			t.Errorf("Go %q: status %d, stdout %q, stderr %q", version, status, out, stderr)
		}
	}
}

// What is missing is named, and nothing is printed on stdout.
func TestScriptMisses(t *testing.T) {
	for _, tt := range []struct {
		name string
		lose func(t *testing.T, c *clone)
		want string
		args []string
	}{
		{"Go", func(t *testing.T, c *clone) {
			script := filepath.Join(c.dir, "install.sh")
			// the usual place, which may have one
			testfile.Put(t, script, strings.Replace(readFile(t, script), "/usr/local/go/bin/go", "/nowhere/go", 1), 0o755)
			c.env = c.env.With("PATH", testfile.LinkPrograms(t, t.TempDir(), "sh", "dirname", "sed"))
		}, "swop: no go on PATH; swop is built with Go 1.26 or newer\nswop: hint: https://go.dev/dl/\n", nil},
		{"npm", func(t *testing.T, c *clone) { // said before Go is looked for
			c.env = c.env.With("PATH", testfile.LinkPrograms(t, t.TempDir(), "sh", "dirname"))
		}, "swop: --with-codex needs npm, which is not on PATH\nswop: hint: install Node.js (https://nodejs.org), or omit --with-codex\n", []string{"--with-codex"}},
		{"sources", func(t *testing.T, c *clone) { testhome.NoError(t, os.Remove(filepath.Join(c.dir, "codex-swop"))) }, "nothing was changed", nil},
		{"HOME", func(_ *testing.T, c *clone) { c.env = c.env.Without("HOME") }, "HOME is not set", nil},
		{"clone", func(t *testing.T, c *clone) {
			testhome.NoError(t, os.Remove(filepath.Join(c.dir, "manager", "codex-swop")))
		}, "is not a clone of swop", nil},
		{"TMPDIR", func(_ *testing.T, c *clone) { c.env = c.env.With("TMPDIR", "/nowhere") }, "swop: no temporary directory", nil},
	} {
		c := newClone(t, "go1.26.1")
		tt.lose(t, &c)
		if out, stderr, status := c.run(t, tt.args...); status != 1 || out != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("without its %s: status %d, stdout %q, stderr %q, want %q", tt.name, status, out, stderr, tt.want)
		}
	}
}

// The installed program takes itself away, with no Go about.
func TestScriptUninstallWithoutGo(t *testing.T) {
	c := newClone(t, "broken")
	prefix := filepath.Join(c.env.Value("HOME"), ".local", "share", "swop")
	testfile.Put(t, filepath.Join(prefix, "bin", "codex-swop"), "#!/bin/sh\nprintf '[%s]' \"$0\" \"$@\"\n", 0o755)
	if out, _, _ := c.run(t, "--uninstall"); out != "["+prefix+"/bin/codex-swop][uninstall]" {
		t.Errorf("install.sh --uninstall runs %q", out)
	}
}

func TestScriptIsClean(t *testing.T) {
	text := readFile(t, "../install.sh")
	if !strings.HasPrefix(text, "#!/bin/sh\n") || !strings.HasSuffix(text, "\nmain \"$@\"\n") {
		t.Error("install.sh is not a POSIX script that ends with its main")
	}
	testhome.Needs(t, "shellcheck")
	if out, err := exec.Command("shellcheck", "../install.sh", "../test.sh", "../packaging/release.sh").CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
