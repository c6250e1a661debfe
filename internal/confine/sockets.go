package confine

import (
	"fmt"
	"os"

	"swop/config"
)

// OpenSockets returns the paths of the sockets that a policy names. One that is not there is left out.
func OpenSockets(list []string, env config.Env) ([]string, error) {
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
			return nil, fmt.Errorf("sockets: %s is not a socket", name)
		}
		if err == nil {
			paths = append(paths, name)
		}
	}
	return paths, nil
}
