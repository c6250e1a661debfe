package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// InUse is the function [InUse] at the time of the survey, except for the lock, which is tried now. If no process belongs to the account
// and none has the lock, it asks no further.
func (s Survey) InUse(codexHome, lockFile string) (Use, error) {
	lock, held, err := probeLock(lockFile)
	home, err2 := os.Stat(codexHome) // a missing one is nobody's codex home
	err = errors.Join(err, disk.Ignore(err2, fs.ErrNotExist, unix.ENOTDIR))
	u, ask := Use{Unseen: held}, held
	for _, p := range s {
		ask = ask || p.isIn(home)
	}
	if err != nil || !ask {
		return u, err
	}
	own := s.verbs()
	for pid, p := range s {
		holds := held && p.hasOpen(lock)
		if holds {
			u.Unseen = false
		}
		if !own[pid] && (holds || p.isIn(home)) && !s.ofServer(p, home) {
			u.Processes = append(u.Processes, p)
		}
	}
	slices.SortFunc(u.Processes, func(a, b Process) int { return a.PID - b.PID })
	return u, nil
}

// isIn reports whether home, nil for a missing one, is p's codex home. Processes may know it by other paths.
func (p Process) isIn(home fs.FileInfo) bool {
	return home != nil && p.home != nil && os.SameFile(p.home, home)
}

// ancestors returns the ancestors of pid that are in the survey, the parent first. If pids were reused while that was taken it may
// hold a ring; each process is returned once.
func (s Survey) ancestors(pid int) []Process {
	var up []Process
	seen := map[int]bool{pid: true}
	for p, ok := s[s[pid].parent]; ok && !seen[p.PID]; p, ok = s[p.parent] {
		seen[p.PID] = true
		up = append(up, p)
	}
	return up
}

// verbs returns the pids of this process and of its ancestors that run the same program: they are verbs of swop too.
func (s Survey) verbs() map[int]bool {
	self := os.Getpid()
	own := map[int]bool{self: true}
	for _, p := range s.ancestors(self) {
		own[p.PID] = p.exe == s[self].exe
	}
	return own
}

// ofServer reports whether p is the background server of the codex home or one of the server's own helpers. A command of a turn is neither.
func (s Survey) ofServer(p Process, home fs.FileInfo) bool {
	is := func(p Process) bool { return p.isIn(home) && p.isServer() }
	return is(p) || !p.inTurn && slices.ContainsFunc(s.ancestors(p.PID), is)
}

// OnlyServer reports whether the account's background server, with its helpers, is all that holds the lock on lockFile beside
// this process: a session that ended leaves it the lock. Where other hosts may hold the lock (NFS), nobody can tell.
func OnlyServer(codexHome, lockFile string) (bool, error) {
	locks, err := disk.Open(filepath.Dir(lockFile), disk.Follow)
	if err != nil {
		return false, err
	}
	defer locks.Close()
	s, err := TakeSurvey()
	if err != nil || len(s.Servers(codexHome)) == 0 || !locks.Local() {
		return false, err
	}
	use, err := s.InUse(codexHome, lockFile)
	return err == nil && !use.Any(), err
}

// LockHolder returns the process that holds the flock(2) lock on file, which this process waits for, by /proc/locks. It reports false where
// the holder cannot be seen.
func LockHolder(file string) (Process, bool) {
	var st unix.Stat_t
	text, err := os.ReadFile("/proc/locks")
	if err != nil || unix.Stat(file, &st) != nil {
		return Process{}, false
	}
	where := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line) // "1: FLOCK ADVISORY WRITE 708 00:13:1234 0 EOF"; those who wait have "->" in second place
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != where {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid != os.Getpid() {
			p, err := readProcess(pid)
			return p, err == nil
		}
	}
	return Process{}, false
}
