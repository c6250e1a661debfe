//go:build !unix

// Command codex-swop manages the accounts.
package main

import (
	"errors"
	"os"

	"swop/say"
)

func main() {
	err := errors.New("swop does not run on native Windows yet")
	say.Error(os.Stderr, say.WithHint(err, "use it inside WSL"))
	os.Exit(1)
}
