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
// socket with a path, then by an abstract one; and then a call of git, which connects in a confined session.
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
		if err := printTook(2000, func() error {
			conn, err := net.Dial(at[0], l.Addr().String())
			if err == nil {
				defer conn.Close()
			}
			return err
		}); err != nil {
			return err
		}
	}
	return printTook(400, func() error { return exec.Command("git", "--version").Run() })
}

// printTook prints the lower quartile of what something takes, in microseconds.
func printTook(times int, do func() error) error {
	var took []float64
	for range times {
		began := time.Now()
		if err := do(); err != nil {
			return err
		}
		took = append(took, float64(time.Since(began).Nanoseconds())/1e3)
	}
	slices.Sort(took)
	fmt.Printf("%.1f\n", took[times/4])
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
	for i, name := range []string{"TCP on loopback", "a Unix socket by its path", "an abstract Unix socket", "`git --version`, which tells swop of its errors"} {
		fmt.Printf("| %s | %s µs | %s µs |\n", name, took["off"][i], took["workspace-write"][i])
	}
}
