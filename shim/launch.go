package shim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"swop/config"
	"swop/disk"
	"swop/disk/sys"
)

// A launch is what execve(2) is given.
type launch struct {
	path string
	args []string
	env  config.Env
}

// Native returns the native codex that a call with env, without arguments, starts in the place of p, npm's launcher; "" where p itself is
// started.
func (p Program) Native(env config.Env, settings config.Settings) string {
	if path, _, _ := p.Launch([]string{"codex"}, env, settings); path != p.Path {
		return path
	}
	return ""
}

// Launch returns what a call with these arguments, "codex" first, and this environment starts: the native codex in the place of p, npm's
// launcher, where that is known and there, else p itself.
func (p Program) Launch(args []string, env config.Env, settings config.Settings) (string, []string, config.Env) {
	if settings.Launch == config.LaunchNative {
		if l, ok := native(p, args, env); ok && isProgram(l.path) {
			return l.path, l.args, l.env
		}
	}
	return p.Path, args, env
}

// launch returns what a known launcher of the package at root starts, unless the native program is missing.
func (l *launcher) launch(root string, args []string, env config.Env) (launch, bool) {
	binary, tools, ok := findBinary(filepath.ToSlash(root), l)
	if !ok {
		return launch{}, false
	}
	return launch{binary, append([]string{binary}, args[1:]...), l.environment(env, root, tools)}, true
}

// environment is what the launcher makes of env: in this order of variables, which JavaScript's objects keep.
func (l *launcher) environment(env config.Env, root, tools string) config.Env {
	if l.layouts[0].tools != "" {
		env = env.With("PATH", toolsPath(tools, env.Value("PATH")))
	}
	for _, name := range l.drops {
		env = env.Without(name)
	}
	for _, name := range l.sets {
		value := "1"
		if name == packageRoot {
			value = root
		}
		env = env.With(name, value)
	}
	return env
}

// toolsPath is path without its empty entries, and with tools before it unless that is "".
func toolsPath(tools, path string) string {
	entries := []string{}
	for _, entry := range append([]string{tools}, strings.Split(path, listSeparator)...) {
		if entry != "" {
			entries = append(entries, entry)
		}
	}
	return strings.Join(entries, listSeparator)
}

// sumOf returns FNV-1a of 128 bits, in hexadecimal. It distinguishes versions and need not resist attackers: who can change the launcher
// can change the native program beside it. crypto/sha256 would bring FIPS 140's set-up into every start.
func sumOf(text []byte) string {
	sum := fnv.New128a()
	sum.Write(text) // never fails (hash.Hash)
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func isProgram(path string) bool {
	_, err := programAt(path, nil)
	return err == nil
}

// platform names the launcher's package and directory for the system that we are built for, in Go's words, or returns "". Node may be built for
// another, under an emulator: then this package is not installed, and the launcher runs.
func platform(system, arch string) (pkg, target string) {
	switch system + "/" + arch {
	case "linux/amd64":
		return "codex-linux-x64", "x86_64-unknown-linux-musl"
	case "linux/arm64":
		return "codex-linux-arm64", "aarch64-unknown-linux-musl"
	case "darwin/amd64":
		return "codex-darwin-x64", "x86_64-apple-darwin"
	case "darwin/arm64":
		return "codex-darwin-arm64", "aarch64-apple-darwin"
	case "windows/amd64":
		return "codex-win32-x64", "x86_64-pc-windows-msvc"
	case "windows/arm64":
		return "codex-win32-arm64", "aarch64-pc-windows-msvc"
	}
	return "", ""
}

// listSeparator stands between the entries of PATH.
const listSeparator = string(os.PathListSeparator)

// findBinary returns the native binary that a launcher of the package at root finds, and the directory that it puts on PATH, "" for none. root has slashes.
// As Node does for require.resolve (Module._nodeModulePaths), it looks for the package of this platform in each node_modules at and
// above the launcher; npm puts it inside root's, or beside root where other packages are too.
func findBinary(root string, known *launcher) (binary, tools string, ok bool) {
	pkg, target := platform(runtime.GOOS, runtime.GOARCH)
	if pkg == "" {
		return "", "", false
	}
	for dir := root + "/bin"; ; dir = dir[:strings.LastIndexByte(dir, '/')] {
		if !strings.HasSuffix(dir, "/node_modules") {
			manifest, err := disk.RealPath(dir + "/node_modules/@openai/" + pkg + "/package.json")
			if err == nil {
				return binaryBelow(filepath.ToSlash(filepath.Dir(manifest))+"/vendor/"+target+"/", known)
			}
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, sys.ENOTDIR) {
				return "", "", false // Node may see it
			}
		}
		if !strings.Contains(dir, "/") {
			return "", "", false // in Node's global directories, or nowhere
		}
	}
}

// binaryBelow returns the program that lies where known looks for it below dir, which ends in a slash.
func binaryBelow(dir string, known *launcher) (binary, tools string, ok bool) {
	if !survivesURL(dir) {
		return "", "", false
	}
	for _, at := range known.layouts {
		if !exists(dir + at.binary + disk.Exe) {
			continue
		}
		if at.tools != "" && exists(dir+at.tools) {
			tools = filepath.FromSlash(dir + at.tools)
		}
		return filepath.FromSlash(dir + at.binary + disk.Exe), tools, true
	}
	return "", "", false
}

// survivesURL reports whether path survives being made a file: URL and back, as Node does it with its main module: some releases of Node
// lost what is left out here.
func survivesURL(path string) bool {
	for _, c := range []byte(path) {
		if c < ' ' || c == 0x7f || strings.IndexByte(`%#?\`, c) >= 0 {
			return false
		}
	}
	return utf8.ValidString(path)
}
