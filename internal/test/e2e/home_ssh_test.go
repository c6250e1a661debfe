//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// OpenSSH asks the password database for the home, not HOME: inside a session it reads the very files that it reads outside, not
// their links. nss_wrapper gives the test its own database.
func TestHomeSSH(t *testing.T) {
	testhome.Needs(t, "ssh", "libnss_wrapper.so")
	u := newHomeUser(t)
	u.write(".ssh/config", "Host forge\n\tHostName forge.example\n\tPort 2222\n\tUser git\n\tIdentityFile ~/.ssh/id_forge\nInclude config.d/*\n")
	u.write(".ssh/config.d/more", "Host *\n\tUserKnownHostsFile ~/.ssh/known_hosts_mine\n")
	// without it, the home is that of whoever runs the tests: HOME does not count, inside as outside
	bare := u.outside("ssh -G forge")
	if strings.Contains(bare, "port 2222\n") {
		t.Error("ssh reads the configuration in HOME, not in the password database's home: docs/codex-home.md says otherwise")
	}
	u.same("ssh -G forge", "hostname ")

	u.write("passwd", fmt.Sprintf("me:x:%d:%d:Me:%s:/bin/sh\n", os.Getuid(), os.Getgid(), u.home))
	wrapped := fmt.Sprintf("LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=%s NSS_WRAPPER_GROUP=/dev/null ", filepath.Join(u.home, "passwd"))
	u.same(wrapped+"ssh -G forge", "port 2222\n")
	u.same(wrapped+"ssh -G forge", "identityfile ~/.ssh/id_forge\n")
	u.same(wrapped+"ssh -G forge", "userknownhostsfile "+u.home+"/.ssh/known_hosts_mine\n")
	u.same(wrapped+"ssh -G other.example", "port 22\n")
	// git's own ssh is this one
	u.same("git config --global core.sshCommand 'ssh -F ~/.ssh/config -G'; "+wrapped+"git ls-remote ssh://forge/x 2>/dev/null | cat; git config core.sshCommand", "ssh -F")
}
