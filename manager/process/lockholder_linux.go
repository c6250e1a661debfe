package process

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockHolder returns the process that holds the flock(2) lock on file, which this process waits for, by /proc/locks. It reports false where the
// holder cannot be seen.
func LockHolder(file string) (Holder, bool) {
	var st unix.Stat_t
	text, err := os.ReadFile("/proc/locks")
	if err != nil || unix.Stat(file, &st) != nil {
		return Holder{}, false
	}
	where := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line) // "1: FLOCK ADVISORY WRITE 708 00:13:1234 0 EOF"; those who wait have "->" in second place
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != where {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 && pid != os.Getpid() {
			return holder(pid)
		}
	}
	return Holder{}, false
}

func holder(pid int) (Holder, bool) {
	stat, err := readProc(procDir(pid)+"/stat", nil)
	if err != nil {
		return Holder{}, false
	}
	p, err := parseStat(pid, string(stat))
	if err != nil {
		return Holder{}, false
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
	h := Holder{PID: pid, Command: p.Command, Stopped: strings.HasPrefix(rest, "T") || strings.HasPrefix(rest, "t")}
	for _, path := range p.OpenFiles() {
		h.Open = append(h.Open, path)
	}
	slices.Sort(h.Open)
	return h, true
}
