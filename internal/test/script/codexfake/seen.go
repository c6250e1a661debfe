//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// seen is seen TXET: it reports in which of the places that a session can look at the text TEXT is: the environment and the arguments of
// all processes that it may read, the files that they have open, and the files of the directories in LOOK. The text is given backwards, so
// that who looks for it does not have it; this process does not count.
func seenMain() {
	text := []byte(os.Args[1])
	slices.Reverse(text)
	holds := func(file string) {
		f, err := os.Open(file)
		if err != nil {
			return
		}
		defer f.Close()
		// other scripts have files of 300 GB open
		if content, err := io.ReadAll(io.LimitReader(f, 64<<20)); err == nil && bytes.Contains(content, text) {
			fmt.Println("found in", file)
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*") // a good pattern
	for _, dir := range processes {
		if filepath.Base(dir) == fmt.Sprint(os.Getpid()) {
			continue
		}
		holds(dir + "/environ")
		holds(dir + "/cmdline")
		open, _ := filepath.Glob(dir + "/fd/*") // likewise
		for _, file := range open {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				holds(file)
			}
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("LOOK")) {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error { // what cannot be read is not seen
			if err == nil && entry.Type().IsRegular() {
				holds(path)
			}
			return nil
		})
	}
	fmt.Println("looked")
}
