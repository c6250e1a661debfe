//go:build !unix

// Command codex-swop manages the accounts. On native Windows it only says what to do.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "swop: swop does not run on native Windows yet\nswop: hint: use it inside WSL")
	os.Exit(1)
}
