package confine

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/say"
)

// notMade returns the error of a sandbox that could not be made: with the rule of the system that forbids it, where one is known.
func notMade(err error) error {
	text := err.Error()
	program, _ := os.Executable() // it runs
	why, command := forbids(program, func(name string) string {
		text, _ := os.ReadFile("/proc/" + name) // what cannot be read forbids nothing
		return strings.TrimSuffix(string(text), "\n")
	}, os.Geteuid() == 0, text)
	if why != "" {
		text = why + ": " + text
	}
	// the middle process tells its errors as text
	known := why != "" || slices.ContainsFunc([]string{"permi", "not implemented", "invalid argument"}, func(of string) bool {
		return strings.Contains(text, of)
	})
	return &Unavailable{text, command, !known}
}

// forbids returns the rule by which the system lets a program make no user namespace, and the command by which root allows it; both are ""
// where no rule is known, the command also where nothing inside of a container allows it. read returns what a file of /proc has, without
// the newline at its end, and text is what failed.
func forbids(program string, read func(name string) string, root bool, text string) (why, command string) {
	switch {
	case read("sys/user/max_user_namespaces") == "0":
		return "user namespaces are turned off (user.max_user_namespaces is 0)", "sudo sysctl -w user.max_user_namespaces=10000"
	case !root && read("sys/kernel/unprivileged_userns_clone") == "0":
		return "only root may make user namespaces (kernel.unprivileged_userns_clone is 0)", "sudo sysctl -w kernel.unprivileged_userns_clone=1"
	case !root && read("sys/kernel/apparmor_restrict_unprivileged_userns") == "1" && !strings.HasPrefix(read("self/attr/current"), profile):
		rule := fmt.Sprintf("abi <abi/4.0>, profile %s %q flags=(unconfined) { userns, }", profile, program) // it forbids nothing
		return "AppArmor lets only programs with a profile make user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)",
			"echo " + say.ShellQuote(rule) + " | sudo tee " + profileFile + " && sudo apparmor_parser -r " + profileFile
	case strings.Contains(text, "permi") && strings.Contains(read("self/status"), fmt.Sprintf("\nSeccomp:\t%d\n", unix.SECCOMP_MODE_FILTER)):
		return "a system call filter, such as a container's, may forbid user namespaces", ""
	}
	return "", ""
}

// profile is the name of AppArmor's profile for codex-swop, and profileFile where AppArmor looks for it.
const (
	profile     = "codex-swop"
	profileFile = "/etc/apparmor.d/" + profile
)
