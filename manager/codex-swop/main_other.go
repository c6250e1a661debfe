//go:build !unix

// Command codex-swop manages the accounts.
package main

import (
	"errors"
	"os"

	"swop/config"
	"swop/shim"
)

func main() {
	err := errors.New("swop does not run on native Windows yet")
	shim.Complain(os.Stderr, config.WithHint(err, "use it inside WSL"))
	os.Exit(1)
}
