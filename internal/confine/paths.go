package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/disk"
)

// resolved returns where paths lead, also those that do not exist.
func resolved(paths []string) (list []string) {
	for _, path := range paths {
		list = append(list, disk.Resolve(path))
	}
	return list
}

// Real returns those of paths that exist, with links resolved.
func Real(paths ...string) []string {
	list := []string{}
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// Package returns the directory of the package that the program belongs to.
func Package(codex string) []string {
	file := disk.Resolve(codex)
	if before, _, ok := strings.Cut(file, "/node_modules/@openai/"); ok {
		return Real(filepath.Join(before, "node_modules", "@openai"))
	}
	return Real(file)
}

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
