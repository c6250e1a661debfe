package preflight

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"apparmor_parser"}}.Run())
}

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
			name: "Ubuntu's", files: map[string]string{"sys/kernel/apparmor_restrict_unprivileged_userns": "1", "self/attr/current": "unconfined", "self/status": filtered},
			text: denied, why: "apparmor_restrict_unprivileged_userns is 1",
			command: "codex swop confine --apparmor | sudo sh -c 'cat >/etc/apparmor.d/codex-swop && apparmor_parser -r /etc/apparmor.d/codex-swop'",
		},
		{name: "Ubuntu's, from an editor", files: map[string]string{"sys/kernel/apparmor_restrict_unprivileged_userns": "1", "self/attr/current": "vscode (unconfined)"}, why: "apparmor", command: "codex"},
		{name: "Ubuntu's, with the profile", files: map[string]string{"sys/kernel/apparmor_restrict_unprivileged_userns": "1", "self/attr/current": "codex-swop (unconfined)"}},
		{name: "a container", files: map[string]string{"self/status": filtered}, root: true, text: denied, why: "container's"},
		{name: "a container, and another reason", files: map[string]string{"self/status": filtered}, text: "Can't chdir to /x: No such file or directory"},
	} {
		why, command := forbids(func(name string) string { return tt.files[name] }, tt.root, tt.text)
		if !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") || !strings.HasPrefix(command, tt.command) ||
			(command == "") != (tt.command == "") {
			t.Errorf("%s: %q, %q, want %q, %q", tt.name, why, command, tt.why, tt.command)
		}
	}
}

// TestAppArmorParses: AppArmor's own parser takes the profile, whatever the program's path has in it. One before release 4 knows no rule
// for user namespaces: it gets the rest.
func TestAppArmorParses(t *testing.T) {
	testhome.Needs(t, "apparmor_parser")
	version, err := exec.Command("apparmor_parser", "--version").Output()
	testhome.NoError(t, err)
	for _, program := range []string{"/usr/lib/swop/bin/codex-swop", `/home/a "b"/{x}*[y]^@{z}/codex-swop`} {
		profile := AppArmorProfile(program)
		if strings.Contains(string(version), "version 3") || strings.Contains(string(version), "version 2") {
			profile = strings.NewReplacer("abi <abi/4.0>,\n", "", "  userns,\n", "").Replace(profile)
		}
		cmd := exec.Command("apparmor_parser", "--skip-kernel-load", "--skip-cache", "--config-file", os.DevNull)
		cmd.Stdin = strings.NewReader(profile)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, out, profile)
		}
	}
}

// TestAppArmorProfile: the packages bring the profile that swop prints, for the place where they put the program.
func TestAppArmorProfile(t *testing.T) {
	if got, want := AppArmorProfile("/usr/lib/swop/bin/codex-swop"), testhome.TextOf("../../../packaging/apparmor"); got != want {
		t.Errorf("it is\n%s\npackaging/apparmor has\n%s", got, want)
	}
	if got, want := AppArmorProfile(`/home/a "b"/{x}*`), `profile codex-swop "/home/a \"b\"/\{x\}\*" flags=(unconfined) {`; !strings.Contains(got, want) {
		t.Errorf("it is\n%s\nwant %s", got, want)
	}
}
