//go:build linux

package e2e

import (
	"archive/zip"
	"debug/buildinfo"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

// releaseAll asks for the archives of every platform; by default the test makes this machine's only, as the others are compiled from
// nothing:
//
//	go test ./internal/test/e2e -run '^TestRelease$' -v -release-all
var releaseAll = flag.Bool("release-all", false, "make the release archives of all platforms")

const releaseVersion = "0.98.7"

// released is a clone whose commit is tagged and in the changelog.
func released(t *testing.T) clone {
	t.Helper()
	c := newClone(t, filepath.Join(t.TempDir(), "swop"))
	c.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [0.98.7] - 2026-11-20\n")
	c.commit("Release 0.98.7")
	c.git("-c", "user.name=swop", "-c", "user.email=swop@example.com", "tag", "-a", "-m", "0.98.7", "v"+releaseVersion)
	return c
}

func TestRelease(t *testing.T) {
	testhome.NotShort(t, "builds swop several times")
	if !*releaseAll {
		testhome.Needs(t, testprogram.Repeats)
	}
	t.Parallel()
	c := released(t)
	platforms := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if *releaseAll {
		platforms = nil
	}
	dist := c.release(platforms...)
	c.do(dist, "sha256sum", "--check", "--strict", "SHA256SUMS")

	if *releaseAll {
		c.sameElsewhere(dist)
	}
	archives, err := filepath.Glob(filepath.Join(dist, "*.tar.gz"))
	if err != nil || len(archives) == 0 || *releaseAll && len(archives) != 4 {
		t.Fatalf("archives %q (%v)", archives, err)
	}
	for _, archive := range archives {
		c.unpack(archive)
	}
	if *releaseAll {
		c.zips(dist)
	}
	t.Run("deb", func(t *testing.T) {
		testhome.Needs(t, "dpkg-deb")
		c := clone{t, c.dir}
		root := t.TempDir()
		c.do(dist, "dpkg-deb", "-x", c.one(dist, "*-linux-"+runtime.GOARCH+".deb"), root)
		c.placed(root)
	})
	t.Run("rpm", func(t *testing.T) {
		testhome.Needs(t, "rpm")
		c := clone{t, c.dir}
		root := t.TempDir()
		file := c.one(dist, "*-linux-"+runtime.GOARCH+".rpm")
		c.do(dist, "sh", "-c", `rpm2archive - <"$1" | tar -xzf - -C "$2"`, "sh", file, root)
		c.placed(root)
	})
}

// sameElsewhere makes the archives of this machine's platform again: at another path, with another umask, time zone, language, set of
// flags, and files of another age.
func (c clone) sameElsewhere(dist string) {
	c.t.Helper()
	other := c.another()
	other.do(other.dir, "touch", "-d", "2001-01-01", "README.md", "packaging/release.sh", "shim/codex/main.go")
	other.git("status") // so that git notes the new times
	platform := runtime.GOOS + "/" + runtime.GOARCH
	sums := other.do(other.dir, "env", "TZ=Asia/Kolkata", "LC_ALL=C", "GOFLAGS=-buildvcs=false -tags=x", "TMPDIR="+c.t.TempDir(), "GOAMD64=v2",
		"sh", "-c", `umask 077; cd shim; ../packaging/release.sh --out "../sub dir" "$0" >/dev/null; cat "../sub dir/SHA256SUMS"`, platform)
	want := c.do(dist, "cat", "SHA256SUMS")
	for line := range strings.Lines(sums) {
		if !strings.Contains(want, line) {
			c.t.Errorf("elsewhere a sum of the same commit is\n%swant one of\n%s", line, want)
		}
	}
}

// one returns the only file of this pattern in a directory.
func (c clone) one(dir, pattern string) string {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		c.t.Fatalf("%s: %q (%v), want one file", pattern, files, err)
	}
	return files[0]
}

// zips checks that the archives for Windows have the programs.
func (c clone) zips(dist string) {
	c.t.Helper()
	for _, arch := range []string{"amd64", "arm64"} {
		name := "swop-" + releaseVersion + "-windows-" + arch
		archive, err := zip.OpenReader(filepath.Join(dist, name+".zip"))
		testhome.NoError(c.t, err)
		for _, file := range []string{"bin/codex.exe", "bin/codex-swop.exe", "install.ps1", "LICENSE"} {
			_, err := archive.Open(name + "/" + file)
			testhome.NoError(c.t, err)
		}
		archive.Close()
	}
}

// placed checks the files of a package, which are unpacked below root, and installs from there as each user does.
func (c clone) placed(root string) {
	c.t.Helper()
	for file, mode := range map[string]os.FileMode{
		"usr/lib/swop/bin": 0o755, "usr/lib/swop/bin/codex": 0o755, "usr/lib/swop/apparmor": 0o644,
		"usr/share/doc/swop/copyright": 0o644, "usr/share/doc/swop/licenses": 0o755, "usr/share/doc/swop/licenses/go/LICENSE": 0o644,
	} {
		info, err := os.Stat(filepath.Join(root, file))
		if err != nil {
			c.t.Error(err)
		} else if got := info.Mode().Perm(); got != mode {
			c.t.Errorf("%s: mode %#o, want %#o", file, got, mode)
		}
	}
	if to, err := os.Readlink(filepath.Join(root, "usr/bin/codex-swop")); err != nil || to != "/usr/lib/swop/bin/codex-swop" {
		c.t.Errorf("/usr/bin/codex-swop leads to %q (%v)", to, err)
	}
	if _, err := os.Lstat(filepath.Join(root, "usr/bin/codex")); !os.IsNotExist(err) {
		c.t.Errorf("the package puts a codex on everyone's PATH (%v)", err)
	}
	c.use(filepath.Join(root, "usr/lib/swop/bin", "codex-swop"))
}

// release runs the script and returns the directory with the archives.
func (c clone) release(platforms ...string) string {
	c.t.Helper()
	out := c.do(c.dir, "./packaging/release.sh", platforms...)
	dist := filepath.Join(c.dir, "dist")
	if !strings.HasPrefix(out, dist+"\n") {
		c.t.Errorf("release.sh prints %q, want the directory %q first", out, dist)
	}
	if got := c.git("status", "--porcelain"); got != "" {
		c.t.Errorf("release.sh leaves changes in the clone: %s", got)
	}
	return dist
}

// unpack checks an archive, and installs from that of this platform.
func (c clone) unpack(archive string) {
	c.t.Helper()
	name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
	dir := c.t.TempDir()
	c.do(dir, "tar", "-xzf", archive)
	platform := strings.TrimPrefix(name, "swop-"+releaseVersion+"-")
	for _, program := range []string{"codex", "codex-swop"} {
		c.built(filepath.Join(dir, name, "bin", program), platform)
	}
	for file, mode := range map[string]os.FileMode{
		"README.md": 0o644, "LICENSE": 0o644, "CHANGELOG.md": 0o644, "bin/codex": 0o755,
		"licenses/go/LICENSE": 0o644, "licenses/github.com/spf13/cobra/LICENSE.txt": 0o644,
	} {
		info, err := os.Stat(filepath.Join(dir, name, file))
		if err != nil {
			c.t.Error(err)
		} else if got := info.Mode().Perm() | 0o022; got != mode|0o022 {
			c.t.Errorf("%s: mode %#o, want %#o", file, got, mode)
		}
	}
	if platform == runtime.GOOS+"-"+runtime.GOARCH {
		c.use(filepath.Join(dir, name, "bin", "codex-swop"))
	}
}

// built checks what Go wrote into a program.
func (c clone) built(program, platform string) {
	c.t.Helper()
	info, err := buildinfo.ReadFile(program)
	testhome.NoError(c.t, err)
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if got := settings["GOOS"] + "-" + settings["GOARCH"]; got != platform || settings["CGO_ENABLED"] != "0" {
		c.t.Errorf("%s is built for %s, CGO_ENABLED %s, want %s and 0", program, got, settings["CGO_ENABLED"], platform)
	}
	if got, want := info.Main.Version, "v"+releaseVersion; got != want {
		c.t.Errorf("%s is version %q, want %q", program, got, want)
	}
}

// use lets this program install swop into a fresh home.
func (c clone) use(program string) {
	c.t.Helper()
	home := c.t.TempDir()
	installed := filepath.Join(home, ".local", "share", "swop", "bin", "codex")
	env := []string{"-i", "HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash"}
	c.do(home, "env", append(env, program, "install", "--no-modify-path")...)
	out := c.do(home, "env", append(env, installed, "swop", "version")...)
	want := "swop v" + releaseVersion + " " + runtime.Version() + " "
	if !strings.HasPrefix(out, want) {
		c.t.Errorf("the installed codex swop version prints %q, want %q first", out, want)
	}
}

func TestReleaseRefuses(t *testing.T) {
	testhome.NotShort(t, "builds swop")
	t.Parallel()
	tagged := released(t)
	for _, tt := range []struct {
		name   string
		before func(c clone)
		args   []string
		status int
		says   string
	}{
		{"unknown platform", func(clone) {}, []string{"plan9/amd64"}, 2, `unknown platform "plan9/amd64"`},
		{"unknown flag", func(clone) {}, []string{"--nope"}, 2, `unknown flag "--nope"`},
		{"a changed file", func(c clone) { c.write("README.md", "") }, nil, 1, "uncommitted"},
		{"no tag", func(c clone) { c.commit("one more") }, nil, 1, "no tag vX.Y.Z"},
		{"not in the changelog", func(c clone) { c.git("tag", "v0.99.9"); c.git("tag", "-d", "v"+releaseVersion) }, nil, 1, "CHANGELOG.md has no section [0.99.9]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clone{t, tagged.dir} // which each case leaves to the next
			tt.before(c)
			cmd := exec.Command("packaging/release.sh", tt.args...)
			cmd.Dir = c.dir
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err == nil || cmd.ProcessState.ExitCode() != tt.status || len(out) > 0 || !strings.Contains(stderr.String(), tt.says) {
				t.Errorf("release.sh: status %d, stdout %q, stderr %q, want %d and %q", cmd.ProcessState.ExitCode(), out, stderr.String(), tt.status,
					tt.says)
			}
			if _, err := os.Stat(filepath.Join(c.dir, "dist")); !os.IsNotExist(err) {
				t.Errorf("release.sh has left dist (%v)", err)
			}
		})
	}
}
