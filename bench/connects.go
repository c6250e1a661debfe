//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// printConnects prints what a connection to a listener of this process takes, in microseconds: by TCP on loopback, then by a Unix
// socket with a path, then by an abstract one.
func printConnects() error {
	name := fmt.Sprintf("connects-%d", os.Getpid())
	for _, at := range [][2]string{{"tcp", "127.0.0.1:0"}, {"unix", "/tmp/" + name}, {"unix", "@" + name}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			return err
		}
		go func() {
			for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
				_ = conn.Close() // it was only asked for
			}
		}()
		var took []float64
		for range 2000 {
			began := time.Now()
			conn, err := net.Dial(at[0], l.Addr().String())
			if err != nil {
				return err
			}
			took = append(took, float64(time.Since(began).Nanoseconds())/1e3)
			_ = conn.Close() // nothing was written
		}
		slices.Sort(took)
		fmt.Println(took[len(took)/4])
	}
	return nil
}

// connects measures connections inside of a confined session and unconfined.
func (b *bench) connects(u scene) {
	self, err := os.ReadFile("/proc/self/exe")
	program := filepath.Join(u.home, "connects") // what lies in /tmp is not seen inside
	if !b.check(err) || !b.check(os.WriteFile(program, self, 0o755)) {
		return
	}
	took := map[string][]string{}
	for _, policy := range []string{"off", "workspace-write"} {
		cmd := exec.Command(u.program("codex"), "swop", "run", "work", "--", program, "-connects")
		cmd.Env = append(u.env(), "SWOP_CONFINE="+policy)
		out, err := cmd.Output()
		if !b.check(err) {
			return
		}
		took[policy] = strings.Fields(string(out))
	}
	fmt.Printf("\n| a connection | unconfined | confined |\n|---|--:|--:|\n")
	for i, name := range []string{"TCP on loopback", "a Unix socket by its path", "an abstract Unix socket"} {
		fmt.Printf("| %s | %.4s µs | %.4s µs |\n", name, took["off"][i], took["workspace-write"][i])
	}
}
