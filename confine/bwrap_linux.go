package confine

import "os"

// bwrapArgs returns bubblewrap's options for a session. It makes the namespaces and /proc; all else is mounted before it starts.
func (s *Scene) bwrapArgs() []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
		"--as-pid-1", // its own first process would be without the filter, and could be traced
	}
	if os.Geteuid() == 0 {
		// root's own nested bwrap maps uid 0, for which the kernel asks CAP_SETFCAP (user_namespaces(7)).
		args = append(args, "--cap-add", "CAP_SETFCAP")
	}
	if !s.Policy.Network.All {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--dev-bind", "/", "/", "--proc", "/proc") // its root is the session's already; what is no device there can be opened as none
	if os.Geteuid() == 0 {                                         // it owns the files there, whatever capabilities it lacks. bwrap covers other parts, so that nothing more is lost
		for _, path := range existing("/proc", "sys", "sysrq-trigger") {
			args = append(args, "--ro-bind", path, path)
		}
	}
	return append(args, "--chdir", "/") // the helper goes to the working directory, once that is there
}
