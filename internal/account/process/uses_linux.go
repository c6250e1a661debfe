package process

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Uses reports whether a process of this user, this one apart, has the entry at path, or something below it, open, mapped, as its working
// directory or as its root, and whether that is known: the system does not tell of every process. path is absolute, without links. A
// process of another user, which needs no account, is not asked.
func Uses(path string) (used, known bool, err error) {
	list, err := readProcesses()
	if err != nil {
		return false, false, err
	}
	known = true
	for _, p := range list {
		if p.PID == os.Getpid() {
			continue
		}
		has, err := uses(p.PID, path)
		switch {
		case has:
			return true, true, nil
		case isShortage(err):
			return false, false, err
		case errors.Is(err, fs.ErrPermission) && p.PID != 1: // the first process of the system is no account's
			known = false
		}
	}
	return false, known, nil
}

// uses reports whether one process uses path. It fails where that may not be asked.
func uses(pid int, path string) (bool, error) {
	dir := procDir(pid)
	fds, err := readNames(dir + "/fd")
	if err != nil {
		return false, err
	}
	links := []string{dir + "/cwd", dir + "/root", dir + "/exe"}
	for _, fd := range fds {
		links = append(links, dir+"/fd/"+fd)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && isAtOrBelow(target, path) {
			return true, nil
		}
	}
	maps, err := readProc(dir+"/maps", nil)
	for line := range bytes.Lines(maps) {
		if at := bytes.IndexByte(line, '/'); at >= 0 && isAtOrBelow(strings.TrimSuffix(string(line[at:]), "\n"), path) {
			return true, nil
		}
	}
	return false, err
}

// isAtOrBelow reports whether the target of a link in /proc is path, or below it. What was removed since ends in " (deleted)".
func isAtOrBelow(target, path string) bool {
	rest, ok := strings.CutPrefix(target, path)
	return ok && (rest == "" || rest[0] == '/')
}
