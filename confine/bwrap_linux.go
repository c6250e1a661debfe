package confine

import (
	"swop/config"
	"swop/confine/mountns"
)

// bwrapArgs returns bubblewrap's options for a session.
func (s *Scene) bwrapArgs(list []mountns.Mount) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
	}
	if s.UID == 0 {
		// root's own nested bwrap maps uid 0, for which the kernel asks CAP_SETFCAP (user_namespaces(7)).
		args = append(args, "--cap-add", "CAP_SETFCAP")
	}
	if !s.Policy.Network.All {
		args = append(args, "--unshare-net")
	}
	if s.Live { // its root is the session's already; what is no device there can be opened as none
		args = append(args, "--dev-bind", "/", "/")
	}
	for _, m := range list {
		if !s.Live || config.Within(m.Target, "/proc") {
			args = append(args, m.Bwrap()...)
		}
	}
	return append(args, "--chdir", s.Dir)
}
