//go:build unix

package shim

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
)

// A launcher whose code is known may still do something else: because of what Node makes of its arguments and environment, because of
// another package manager, or because node is not Node.

// unchangedByNode reports whether Node would pass args and env on unchanged, except for what the launcher itself changes. Of a variable that
// occurs twice Node keeps the first, and so does package os.
func unchangedByNode(args []string, env config.Env) bool {
	if len(args) == 0 {
		return false
	}
	for _, arg := range args[1:] {
		if !utf8.ValidString(arg) {
			return false // Node replaces the bytes
		}
	}
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		// A name that is a number comes first in a JavaScript object, whatever its place was.
		if !ok || name == "" || name[0] >= '0' && name[0] <= '9' || !utf8.ValidString(entry) || !harmlessVariable(name, value) {
			return false
		}
	}
	return true
}

// harmlessVariable reports whether neither Node nor a launcher does anything else because of this variable.
func harmlessVariable(name, value string) bool {
	switch name {
	case "npm_config_user_agent":
		return !strings.Contains(value, "bun/")
	case "npm_execpath":
		return !strings.Contains(value, "bun")
	case "NODE_OPTIONS":
		return harmlessOptions(value)
	case "NODE_ENV", "NODE_EXTRA_CA_CERTS", "NODE_HOME", "NODE_NO_WARNINGS", "NODE_TLS_REJECT_UNAUTHORIZED",
		"NODE_USE_ENV_PROXY", "NODE_USE_SYSTEM_CA", "NODE_VERSION":
		return true
	case "NODE_PATH":
		return true // comes after the directories in which we look
	case "WATCH_REPORT_DEPENDENCIES":
		return false
	}
	return !strings.HasPrefix(name, "NODE_") && !strings.HasPrefix(name, "DYLD_") // macOS lets no DYLD_ variable through /usr/bin/env
}

// harmlessOptions reports whether NODE_OPTIONS only gives Node more memory, which is what most people use it for.
func harmlessOptions(value string) bool {
	for _, option := range strings.Fields(value) {
		name, size, _ := strings.Cut(option, "=")
		if name != "--max-old-space-size" && name != "--max_old_space_size" || size == "" || strings.Trim(size, "0123456789") != "" {
			return false
		}
	}
	return true
}

// ownedByOther reports whether another package manager than npm may have installed the package at root, by the traces that launchers look
// for: at and above the package, and above the path by which they were started. Older launchers do not look; with such a trace they run as
// installed, too.
func ownedByOther(root, started string) bool {
	if strings.Contains(root, "/install/global/") { // bun's, below $BUN_INSTALL
		return true
	}
	if above(root, "") {
		return true
	}
	return above(filepath.Dir(started), root) // as lexical as path.resolve, which the launcher uses
}

// above reports whether dir or a directory above it has the trace of another package manager: .modules.yaml is pnpm's, packages/ vite-plus's.
// It stops at a directory that is also above looked.
func above(dir, looked string) bool {
	for !strings.HasPrefix(looked, dir+"/") {
		if exists(dir + "/node_modules/.modules.yaml") {
			return true
		}
		if strings.HasSuffix(dir, "/packages") && exists(dir+"/@openai/codex.json") {
			return true
		}
		if dir == "" {
			return false
		}
		dir = dir[:strings.LastIndexByte(dir, '/')]
	}
	return false
}

// realNode reports whether the node that env(1) finds on path is Node itself. The shims of version managers have that name too, and
// change the environment. Without a node the launcher could only fail, so the native codex is the only way.
func realNode(path string) bool {
	if path == "" {
		return false // env(1) looks elsewhere then
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		if _, err := programAt(dir+"/node", nil); err == nil {
			return isNode(dir + "/node")
		}
	}
	return true
}

// isNode reports whether the program at path is Node, by its real name and its kind: a version manager's shim is a script, a link to a
// program of another name, or in a directory named shims.
func isNode(path string) bool {
	fd, err := openFile(path)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	real, err := disk.RealPath(path)
	if err != nil || strings.Contains(real, "/shims/") || !strings.HasSuffix(real, "/node") && !strings.HasSuffix(real, "/nodejs") {
		return false
	}
	magic := make([]byte, 4)
	_, err = unix.Read(fd, magic)
	return err == nil && binaryMagic(string(magic))
}

// binaryMagic: ELF, Mach-O of 64 bits, and Mach-O for several processors.
func binaryMagic(magic string) bool {
	return magic == "\x7fELF" || magic == "\xcf\xfa\xed\xfe" || magic == "\xca\xfe\xba\xbe"
}
