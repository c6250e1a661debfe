package mount

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// hostMount is a line of the table of mounts (proc_pid_mountinfo(5)).
type hostMount struct {
	id, parent string
	device     string
	root       string // of the file system, what is mounted
	point      string // where
}

// Table is what the host has mounted.
type Table []hostMount

// ReadTable reads the table. It touches no file system that is mounted: one of the network may hang.
func ReadTable() (table Table, err error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(text)) {
		const most = 6 // the others do not matter
		f := strings.SplitN(line, " ", most)
		if len(f) < most {
			return nil, &fs.PathError{Op: "read", Path: "/proc/self/mountinfo", Err: fs.ErrInvalid}
		}
		table = append(table, hostMount{f[0], f[1], f[2], unescape.Replace(f[3]), unescape.Replace(f[4])})
	}
	return table, err
}

// leading returns the mount that path is part of: from the one at the root, as the kernel goes, always the next on the way.
func (t Table) leading(path string) (at hostMount) {
	for _, m := range t {
		if m.point == "/" && !slices.ContainsFunc(t, func(above hostMount) bool { return above.id == m.parent && above.id != m.id }) {
			at = m
			break
		}
	}
	for range t {
		var next hostMount
		for _, m := range t {
			if m.parent == at.id && m.id != at.id && config.Within(path, m.point) && (next.id == "" || len(m.point) < len(next.point)) {
				next = m
			}
		}
		if next.id == "" {
			break
		}
		at = next
	}
	return at
}

// Elsewhere returns the other paths that lead to a path: it is mounted there, or a directory above it. With parts, those too that lead to something
// in it.
func (t Table) Elsewhere(path string, parts bool) (list []string) {
	own := t.leading(path)
	if own.id == "" || path == "" {
		return nil
	}
	place := filepath.Join(own.root, strings.TrimPrefix(path, strings.TrimSuffix(own.point, "/")))
	for _, m := range t {
		other := ""
		switch {
		case m.id == own.id || m.device != own.device:
		case config.Within(place, m.root):
			other = filepath.Join(m.point, strings.TrimPrefix(place, strings.TrimSuffix(m.root, "/")))
		case parts && config.Within(m.root, place):
			other = m.point
		}
		if other != "" && !config.Within(path, other) && t.leading(other).id == m.id { // else it is mounted over
			list = append(list, other)
		}
	}
	return list
}
