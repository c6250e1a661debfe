// Package testprogram knows the programs that the tests start and that not every machine has.
package testprogram

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// LeftOut names the environment variable that lists what the tests do without, separated by spaces: [Codex] and names of [All]. A test that
// needs one of them is skipped and counted. Where the variable is unset, go test -short does without all of them, and go test without none.
const LeftOut = "SWOP_TEST_WITHOUT"

// Codex is the real codex, which the tests get from npm: it needs node and npm.
const Codex = "codex"

// Repeats is no program, but what repeats in tests what others show: older releases of codex, more points of a search, unconfined attacks.
const Repeats = "repeats"

// A Program is found on PATH by its name. The other fields are its packages, empty where the package manager has none.
type Program struct {
	Name, Apt, Dnf, Brew string // of several packages, the names between spaces

	always bool // no test runs without it
	linux  bool // only tests for Linux start it
}

// Always reports whether all tests need the program.
func (p Program) Always() bool { return p.always }

// All returns the programs that tests on this system start, beside Go and what every such system has.
func All(goos string) []Program {
	return slices.DeleteFunc([]Program{
		{Name: "git", Apt: "git", Dnf: "git", Brew: "git", always: true},
		{Name: "bash", Apt: "bash", Dnf: "bash", Brew: "bash", always: true},
		{Name: "find", Apt: "findutils", Dnf: "findutils", Brew: "findutils", always: true},
		{Name: "xargs", Apt: "findutils", Dnf: "findutils", Brew: "findutils", always: true},
		{Name: "zsh", Apt: "zsh", Dnf: "zsh", Brew: "zsh"},
		{Name: "fish", Apt: "fish", Dnf: "fish", Brew: "fish"},
		{Name: "tmux", Apt: "tmux", Dnf: "tmux", Brew: "tmux"},
		{Name: "shellcheck", Apt: "shellcheck", Dnf: "ShellCheck", Brew: "shellcheck"},
		{Name: "gh", Apt: "gh", Dnf: "gh", Brew: "gh"},
		{Name: "perl", Apt: "perl", Dnf: "perl", Brew: "perl"},
		{Name: "node", Apt: "nodejs", Dnf: "nodejs", linux: true},
		{Name: "npm", Apt: "npm", Dnf: "nodejs-npm", linux: true},
		{Name: UserNS, Apt: "util-linux", Dnf: "util-linux", linux: true},
		{Name: "bwrap", Apt: "bubblewrap", Dnf: "bubblewrap", linux: true},
		{Name: "strace", Apt: "strace", Dnf: "strace", linux: true},
		{Name: "ssh", Apt: "openssh-client", Dnf: "openssh-clients", linux: true},
		{Name: "direnv", Apt: "direnv", Dnf: "direnv", linux: true},
		{Name: "script", Apt: "bsdutils", Dnf: "util-linux-script", linux: true},
		{Name: "dpkg-deb", Apt: "dpkg", Dnf: "dpkg", linux: true},
		{Name: "rpm", Apt: "rpm", Dnf: "rpm", linux: true},
		{Name: "wine", Apt: "wine wine64", Dnf: "wine", linux: true},
		{Name: "x86_64-w64-mingw32-gcc", Apt: "gcc-mingw-w64-x86-64", Dnf: "mingw64-gcc", linux: true},
	}, func(p Program) bool { return p.linux && goos != "linux" })
}

// UserNS is no program, but that one may mount in a user namespace, as confined sessions do.
const UserNS = "userns"

// Found reports whether this machine has the program.
func Found(name string) bool {
	switch name {
	case Codex:
		return Found("node") && Found("npm")
	case Repeats:
		return true
	case UserNS:
		return exec.Command("unshare", "-rm", "mount", "--version").Run() == nil
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// Without returns the names that [LeftOut] lists, and whether it is set.
func Without() (names []string, set bool) {
	list, set := os.LookupEnv(LeftOut)
	return strings.Fields(list), set
}
