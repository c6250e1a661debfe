package bridge

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Ports returns the ports of the bridges in these directories.
func Ports(dirs []string) (ports []int) {
	for _, dir := range dirs {
		sockets, _ := filepath.Glob(filepath.Join(dir, ".[0-9]*.sock")) // a good pattern, unless the directory is a bad one
		for _, socket := range sockets {
			if port, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(socket), "."), ".sock")); err == nil {
				ports = append(ports, port)
			}
		}
	}
	return ports
}
