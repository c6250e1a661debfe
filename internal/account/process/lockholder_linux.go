package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// LockHolder returns the process that holds the flock(2) lock on file, which this process waits for. It reports false where the
// holder cannot be seen.
func LockHolder(file string) (Process, bool) {
	for _, pid := range flockers(file) {
		if pid != os.Getpid() {
			stat, err := readProc(procDir(pid)+"/stat", nil)
			if err != nil {
				return Process{}, false
			}
			p, err := parseStat(pid, string(stat))
			return p, err == nil
		}
	}
	return Process{}, false
}

// flockers returns the processes that took the locks that are held on file, by /proc/locks; those that ended may have passed theirs on.
func flockers(file string) (pids []int) {
	var st unix.Stat_t
	text, err := os.ReadFile("/proc/locks")
	if err != nil || unix.Stat(file, &st) != nil {
		return nil
	}
	where := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line) // "1: FLOCK ADVISORY WRITE 708 00:13:1234 0 EOF"; those who wait have "->" in second place
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != where {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// OnlyServer reports whether the account's background server, with its helpers, is all that holds the lock on lockFile beside
// this process: a session that ended leaves it the lock. What may not be asked is no server, and where other hosts may hold the
// lock (NFS), nobody can tell.
func OnlyServer(codexHome, lockFile string) (bool, error) {
	t, err := OfAccount(codexHome)
	if err != nil || len(t.Servers()) == 0 || !local(filepath.Dir(lockFile)) {
		return false, err
	}
	lock, err := os.Stat(lockFile)
	if err != nil {
		return false, err
	}
	own := t.verbs()
	for pid, p := range t {
		if !own[pid] && !t.ofServer(p) && (p.account || p.hasOpen(lock)) {
			return false, nil
		}
	}
	for _, pid := range flockers(lockFile) {
		p, ours := t[pid]
		if own[pid] || ours && t.ofServer(p) || !ours && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			continue // or it has ended, and the server has its lock
		}
		return false, nil
	}
	return true, nil
}

func local(dir string) bool {
	d, err := disk.Open(dir, disk.Follow)
	if err != nil {
		return false
	}
	defer d.Close()
	return d.Local()
}
