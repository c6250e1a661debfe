package confine

import (
	"strings"
	"testing"
)

func TestForbids(t *testing.T) {
	const filtered = "Name:\tcodex\nSeccomp:\t2\nSeccomp_filters:\t1"
	const denied = "No permissions to create new namespace"
	for _, tt := range []struct {
		name         string
		files        map[string]string
		root         bool
		text         string
		why, command string
	}{
		{name: "nothing known"},
		{name: "all allowed", files: map[string]string{
			"sys/user/max_user_namespaces": "96365", "sys/kernel/unprivileged_userns_clone": "1", "sys/kernel/apparmor_restrict_unprivileged_userns": "0",
			"self/attr/current": "unconfined", "self/status": "Seccomp:\t0\n",
		}},
		{name: "none", files: map[string]string{"sys/user/max_user_namespaces": "0"}, root: true, why: "max_user_namespaces is 0", command: "sudo sysctl -w user.max_user_namespaces=10000"},
		{
			name: "Debian's", files: map[string]string{"sys/kernel/unprivileged_userns_clone": "0"}, why: "unprivileged_userns_clone is 0",
			command: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
		},
		{name: "Debian's, for root", files: map[string]string{"sys/kernel/unprivileged_userns_clone": "0"}, root: true},
		{
			name: "Ubuntu's", files: map[string]string{
				"sys/kernel/apparmor_restrict_unprivileged_userns": "1", "self/attr/current": "unconfined",
				"self/status": filtered,
			},
			text: denied, why: "apparmor_restrict_unprivileged_userns is 1",
			command: `echo 'abi <abi/4.0>, profile codex-swop "/bin/codex-swop" flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/codex-swop && sudo app`,
		},
		{name: "Ubuntu's, from an editor", files: map[string]string{"sys/kernel/apparmor_restrict_unprivileged_userns": "1", "self/attr/current": "vscode (unconfined)"}, why: "apparmor", command: "echo"},
		{name: "Ubuntu's, with the profile", files: map[string]string{"sys/kernel/apparmor_restrict_unprivileged_userns": "1", "self/attr/current": "codex-swop (unconfined)"}},
		{name: "a container", files: map[string]string{"self/status": filtered}, root: true, text: denied, why: "container's"},
		{name: "a container, and another reason", files: map[string]string{"self/status": filtered}, text: "Can't chdir to /x: No such file or directory"},
	} {
		why, command := forbids("/bin/codex-swop", func(name string) string { return tt.files[name] }, tt.root, tt.text)
		if !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") || !strings.HasPrefix(command, tt.command) ||
			(command == "") != (tt.command == "") {
			t.Errorf("%s: %q, %q, want %q, %q", tt.name, why, command, tt.why, tt.command)
		}
	}
}
