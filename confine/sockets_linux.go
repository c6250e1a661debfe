package confine

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"swop/config"
)

// openSockets returns the paths of the sockets that a policy names. One that is not there is left out.
func openSockets(list []string, env config.Env) ([]string, error) {
	var paths []string
	for _, name := range list {
		if name == config.SSHAgent {
			name = env.Value("SSH_AUTH_SOCK")
		}
		if name == "" {
			continue
		}
		info, err := os.Stat(name)
		if err == nil && info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("sockets: %s is no socket", name)
		}
		if err == nil {
			paths = append(paths, name)
		}
	}
	return paths, nil
}

// hostSockets returns the Unix sockets that programs listen on (proc_net(5)), except for those that nobody inside sees anyway.
func hostSockets(c *Scene) ([]string, error) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, unavailable("cannot list the system's Unix sockets: %v", err)
	}
	var paths []string
	for line := range strings.Lines(string(table)) {
		_, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " /")
		if path = "/" + path; ok && !c.isHidden(path) && !slices.Contains(paths, path) && isSocket(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// isHidden reports whether nobody inside sees what the host has at path.
func (c *Scene) isHidden(path string) bool {
	hidden := slices.Concat([]string{c.Root, c.SharedHome}, c.Policy.Hidden, c.Hidden)
	shown := config.Within(path, c.Home) || slices.ContainsFunc(c.Workspace, func(r Root) bool { return config.Within(path, r.Path) })
	return isCovered(path) && !shown || config.Within(path, "/var/run") ||
		slices.ContainsFunc(hidden, func(dir string) bool { return config.Within(path, dir) })
}

func isSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}
