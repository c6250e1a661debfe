//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// printResident prints what programs have in memory when they exec the target, counted page by page; ratios are to the first. The kernel counts
// peak memory (getrusage(2)) in steps of 128 KiB and more, which is as much as two builds of a small program differ by.
func (b *bench) printResident(list ...candidate) {
	fmt.Print("\nIn memory when the target is exec'd, counted page by page; the kernel's own count of the peak, above, goes in large steps:\n\n| | memory | ratio |\n|---|--:|--:|\n")
	var first float64
	for _, c := range list {
		kib, err := b.resident(c)
		if !b.check(err) {
			return
		}
		if first == 0 {
			first = kib
		}
		fmt.Printf("| %s | %.0f KiB | %.2f |\n", c.name, kib, kib/first)
	}
}

// resident returns the lower quartile of some starts, in kibibytes. strace(1) delays the exec.
func (b *bench) resident(c candidate) (float64, error) {
	var all []float64
	for range 11 {
		args := append([]string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=execve", "--inject=execve:delay_enter=300000"}, c.args...)
		cmd := exec.Command("strace", args...)
		cmd.Env = c.env
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		kib, err := residentChild(cmd.Process.Pid, filepath.Base(c.args[0]))
		if end := cmd.Wait(); err == nil {
			err = end
		}
		if err != nil {
			return 0, err
		}
		all = append(all, kib)
	}
	return quartile(all), nil
}

// residentChild returns what the child of a process has in memory once it has this name and comes to its exec, in kibibytes.
func residentChild(parent int, name string) (float64, error) {
	child, comm := "", ""
	for end := time.Now().Add(10 * time.Second); comm != name && time.Now().Before(end); time.Sleep(time.Millisecond) {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", parent))
		if err != nil {
			return 0, err
		}
		child = filepath.Join("/proc", strings.TrimSpace(string(children)))
		text, _ := os.ReadFile(filepath.Join(child, "comm")) // there may be no child yet
		comm = strings.TrimSpace(string(text))
	}
	time.Sleep(100 * time.Millisecond) // it is in its exec by then
	text, err := os.ReadFile(filepath.Join(child, "smaps_rollup"))
	_, rest, ok := bytes.Cut(text, []byte("\nRss:"))
	if fields := bytes.Fields(rest); err == nil && ok && len(fields) > 0 {
		return strconv.ParseFloat(string(fields[0]), 64)
	}
	return 0, fmt.Errorf("%s/smaps_rollup has no line Rss: %v", child, err)
}
