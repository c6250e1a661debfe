package testhome

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// namespace is set in the process that has a mount namespace of its own: to "root", or to "user" in a user's namespace.
const namespace = "SWOP_TEST_NAMESPACE"

// InNamespace runs the test again, with these flags in addition, in a process that may mount: in a mount namespace of its own, and for an
// ordinary user in a user namespace too. It reports whether this is that process. Where no namespace can be made, it says so in the log.
func InNamespace(t *testing.T, flags ...string) bool {
	t.Helper()
	if os.Getenv(namespace) != "" {
		NoError(t, unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		return true
	}
	own := []string{"-test.run=^" + t.Name() + "$", "-test.v", fmt.Sprint("-test.short=", testing.Short()), "-test.timeout=" + flag.Lookup("test.timeout").Value.String()}
	cmd := exec.Command("/proc/self/exe", append(own, flags...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	user := "root"
	if os.Geteuid() != 0 {
		user = "user"
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	cmd.Env = append(os.Environ(), namespace+"="+user)
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EINVAL):
		t.Logf("no mount namespace can be made here: %v", err)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("in a namespace: %v\n%s", err, out)
	default:
		t.Log(strings.Join(slices.DeleteFunc(strings.Split(string(out), "\n"), isReport), "\n"))
	}
	return false
}

// isReport reports whether the line is one by which go test counts tests.
func isReport(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===")
}
