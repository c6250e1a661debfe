//go:build unix

// Command codexfake is the fake codex of the scripts, and by another name one of their other programs: it starts fast, since the scripts
// start it thousands of times.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	becomeTraced()
	switch name := filepath.Base(os.Args[0]); name {
	case "with":
		withMain()
	case "seen":
		seenMain()
	case "killat", "failat", "amid":
		traceMain(name)
	default: // a fake, by whatever name
		file, err := os.Executable()
		if err != nil {
			fail(err)
		}
		fakeMain(file, os.Args[1:])
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "fake:", err)
	os.Exit(99)
}
