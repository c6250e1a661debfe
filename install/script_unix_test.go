//go:build unix

package install

import (
	"errors"
	"net/http"
	"net/http/httptest"
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

// newClone returns a clone whose codex-swop prints its arguments, a Go that "builds" it, and an npm that prints its own.
func newClone(t *testing.T) clone {
	t.Helper()
	c := clone{dir: filepath.Join(t.TempDir(), "my clone"), work: t.TempDir()}
	bin, home := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "home")
	for _, dir := range []string{filepath.Join(c.dir, "manager", "codex-swop"), bin, home} {
		testhome.NoError(t, os.MkdirAll(dir, 0o755))
	}
	testfile.Put(t, filepath.Join(c.dir, "install.sh"), testhome.TextOf("../install.sh"), 0o755)
	testfile.Put(t, filepath.Join(c.dir, "program"), "#!/bin/sh\n[ \"$1\" = version ] || printf '[%s]' \"$@\"\n", 0o755)
	testfile.Put(t, filepath.Join(bin, "go"), `#!/bin/sh
[ $1 = build ] || exit 0
[ "$CGO_ENABLED" = 0 ] || exit 9
for out; do [ "$before" = -o ] && break; before=$out; done
cp program "$out/codex-swop"
`, 0o755)
	testfile.Put(t, filepath.Join(bin, "npm"), `#!/bin/sh
[ "$1 $2" != 'config get' ] || { echo "/machine/$3"; exit 0; }
printf '(%s)' "$@" >"$HOME/npm"
echo broken >&2
[ ! -e "$HOME/fail" ]
`, 0o755)
	c.env = config.Env{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin", "TMPDIR=" + home}
	return c
}

func (c clone) home(name string) string { return filepath.Join(c.env.Value("HOME"), name) }

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
		{[]string{"--prefix", "/a b", "--no-modify-path"}, "[--prefix][/a b][--no-modify-path]"},
		{[]string{"--prefix=/it's"}, "[--prefix=/it's]"},
		{[]string{"--uninstall"}, "[uninstall]"},
		{[]string{"--purge", "--uninstall", "-y"}, "[uninstall][--purge][-y]"},
	} {
		c := newClone(t)
		out, stderr, status := c.run(t, tt.args...)
		if rest, ok := strings.CutPrefix(out, "[install][--from]["+c.home("swop-install.")); ok {
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

// With --with-codex npm installs below the prefix what is missing; what it prints is seen where it fails.
func TestScriptWithCodex(t *testing.T) {
	c := newClone(t)
	out, stderr, status := c.run(t, "--with-codex", "--prefix", "/a b")
	if got := testhome.TextOf(c.home("npm")); !strings.HasPrefix(got,
		"(install)(-g)(--prefix)(/a b/npm)(--globalconfig)(/machine/globalconfig)(@openai/codex)") {
		t.Errorf("install.sh runs npm %q", got)
	}
	if status != 0 || stderr != "" || !strings.HasSuffix(out, "npm      /a b/npm/bin/codex\n") {
		t.Errorf("install.sh --with-codex: status %d, stdout %q, stderr %q", status, out, stderr)
	}
	testfile.Put(t, filepath.Join(c.dir, "program"), "#!/bin/sh\necho what to do next >&2\n", 0o755)
	cmd := exec.Command(filepath.Join(c.dir, "install.sh"), "--with-codex")
	cmd.Env = c.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "/npm/bin/codex\nwhat to do next\n") {
		t.Errorf("install.sh --with-codex ends with %q, %v, want what to do next", out, err)
	}
	testfile.Put(t, filepath.Join(c.dir, "program"), "#!/bin/sh\n", 0o755)
	testfile.Put(t, c.home("fail"), "", 0o644)
	if _, stderr, status = c.run(t, "--with-codex", "--no-modify-path"); status != 1 ||
		!strings.HasPrefix(stderr, "broken\nswop: swop is installed, but npm could not") ||
		!strings.HasSuffix(stderr, "\nswop: hint: "+filepath.Join(c.dir, "install.sh")+" --with-codex --no-modify-path\n") {
		t.Errorf("where npm fails: status %d, stderr %q", status, stderr)
	}
	testfile.Put(t, c.home(".local/share/swop/bin/codex"), "#!/bin/sh\n", 0o755)
	if out, stderr, status := c.run(t, "--with-codex"); status != 0 || stderr != "" || strings.Contains(out, "npm") {
		t.Errorf("with a real codex: status %d, stdout %q, stderr %q", status, out, stderr)
	}
}

// The real npm takes the registry from the machine's own settings: a company's is the only one that its machines reach.
func TestScriptRegistry(t *testing.T) {
	testhome.Needs(t, "npm")
	asked := make(chan string, 1)
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.EscapedPath():
		default:
		}
		http.NotFound(w, r)
	}))
	defer registry.Close()
	c := newClone(t)
	testhome.NoError(t, os.Remove(filepath.Join(strings.Split(c.env.Value("PATH"), ":")[0], "npm")))
	testfile.Put(t, c.home("machine/etc/npmrc"), "registry="+registry.URL+"\n", 0o644)
	c.env = c.env.With("PATH", c.env.Value("PATH")+":"+os.Getenv("PATH")).With("PREFIX", c.home("machine"))
	_, stderr, status := c.run(t, "--with-codex", "--no-modify-path")
	if status != 1 || len(asked) == 0 || <-asked != "/@openai%2fcodex" {
		t.Errorf("npm did not ask the registry of the machine's settings: status %d, stderr %q", status, stderr)
	}
}

// What is missing is named, and nothing is printed on stdout.
func TestScriptMisses(t *testing.T) {
	for _, tt := range []struct {
		name string
		lose func(t *testing.T, c *clone)
		want string
	}{
		{"Go", func(t *testing.T, c *clone) {
			script := filepath.Join(c.dir, "install.sh")
			// the usual place, which may have one
			testfile.Put(t, script, strings.Replace(testhome.TextOf(script), "/usr/local/go/bin/go", "/nowhere/go", 1), 0o755)
			c.env = c.env.With("PATH", testfile.LinkPrograms(t, t.TempDir(), "sh", "dirname")+":"+
				filepath.Dir(testfile.Put(t, filepath.Join(t.TempDir(), "npm"), "", 0o755)))
		}, "swop: no go on PATH; swop is built with Go 1.26.5 or newer\nswop: hint: https://go.dev/dl/\n"},
		{"npm", func(t *testing.T, c *clone) { // said before Go is looked for
			c.env = c.env.With("PATH", testfile.LinkPrograms(t, t.TempDir(), "sh", "dirname"))
		}, "swop: --with-codex needs npm, which is not on PATH\nswop: hint: install Node.js (https://nodejs.org), or omit --with-codex\n"},
		{"sources", func(t *testing.T, c *clone) { testhome.NoError(t, os.Remove(filepath.Join(c.dir, "program"))) }, "nothing was changed"},
		{"HOME", func(_ *testing.T, c *clone) { c.env = c.env.Without("HOME") }, "HOME: is not set"},
		{"clone", func(t *testing.T, c *clone) { testhome.NoError(t, os.RemoveAll(filepath.Join(c.dir, "manager"))) }, "is not a clone of swop"},
	} {
		c := newClone(t)
		tt.lose(t, &c)
		if out, stderr, status := c.run(t, "--with-codex"); status == 0 || out != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("without its %s: status %d, stdout %q, stderr %q, want %q", tt.name, status, out, stderr, tt.want)
		}
	}
}

func TestScriptsAreClean(t *testing.T) {
	testhome.Needs(t, "shellcheck")
	if out, err := exec.Command("shellcheck", "../install.sh", "../test.sh", "../packaging/release.sh").CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
