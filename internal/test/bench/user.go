//go:build linux

package main

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// asUser prints a section again as an ordinary user measures it, with a home of its own in /home.
func (b *bench) asUser(section string) {
	account, err := user.Lookup(b.user)
	if !b.check(err) {
		return
	}
	dir, err := os.MkdirTemp("/home", "swop-bench-")
	if !b.check(err) {
		return
	}
	defer os.RemoveAll(dir)
	self := filepath.Join(dir, "bench")
	list := [][2]string{{"/proc/self/exe", self}}
	for _, name := range programs {
		list = append(list, [2]string{b.path(name + ".new"), filepath.Join(dir, name+".new")})
	}
	for _, file := range list {
		if !b.check(os.MkdirAll(filepath.Dir(file[1]), 0o755)) || !b.check(copyProgram(file[0], file[1])) {
			return
		}
	}
	if !b.check(os.MkdirAll(filepath.Join(dir, earlier.bin), 0o755)) || !b.check(exec.Command("chown", "-R", b.user+":", dir).Run()) {
		return
	}
	cmd := exec.Command(self, "-built", dir, "-only", section, "-rounds", strconv.Itoa(b.rounds), "-before", b.before)
	uid, uidErr := strconv.Atoi(account.Uid)
	gid, gidErr := strconv.Atoi(account.Gid)
	if !b.check(uidErr) || !b.check(gidErr) {
		return
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	b.check(cmd.Run())
}
