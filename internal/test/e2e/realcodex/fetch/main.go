// Command fetch installs the releases of the real Codex that the tests run below a directory, some at a time:
//
//	fetch DIRECTORY
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"swop/internal/test/e2e/realcodex"
)

// atOnce is how many are fetched at the same time: one alone does not fill a line.
const atOnce = 3

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fetch DIRECTORY")
		os.Exit(2)
	}
	versions, failed := make(chan string), make(chan error)
	for range atOnce {
		go func() {
			var list []error
			for version := range versions {
				_, err := realcodex.Install(context.Background(), os.Args[1], version)
				list = append(list, err)
			}
			failed <- errors.Join(list...)
		}()
	}
	for _, version := range realcodex.Releases() {
		versions <- version
	}
	close(versions)
	var all []error
	for range atOnce {
		all = append(all, <-failed)
	}
	if err := errors.Join(all...); err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
}
