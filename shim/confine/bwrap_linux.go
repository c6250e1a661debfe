package confine

import (
	"strings"

	"swop/config"
)

// bwrapArgs returns bubblewrap's options for a session.
func (s *Scene) bwrapArgs(list []mount) []string {
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
		if !s.Live || config.Within(m.target, "/proc") {
			args = append(args, m.bwrap()...)
		}
	}
	return append(args, "--chdir", s.Dir)
}

// bwrap returns the mount as options of bubblewrap.
func (m mount) bwrap() []string {
	switch m.kind {
	case writable:
		return []string{"--bind", m.source, m.target}
	case readonly:
		return []string{"--ro-bind", m.source, m.target}
	case empty:
		return []string{"--perms", m.mode(), "--tmpfs", m.target}
	case nothing:
		return []string{"--ro-bind", "/dev/null", m.target} // not a device there: opening it is refused
	case fixed:
		return []string{"--remount-ro", m.target}
	case link:
		return []string{"--symlink", m.source, m.target}
	case directory:
		return []string{"--perms", "0700", "--dir", m.target}
	case devices:
		return []string{"--dev", m.target}
	default:
		return []string{"--proc", m.target}
	}
}

// mode is that of the host's directory, as far as programs expect it.
func (m mount) mode() string {
	switch m.target {
	case "/tmp":
		return "1777"
	case "/run":
		return "0755"
	}
	return "0700"
}

// nulSeparated is a list of arguments as bwrap --args reads it.
func nulSeparated(args []string) string {
	return strings.Join(args, "\x00") + "\x00"
}
