//go:build !unix

package install

import (
	"errors"
	"io/fs"
	"os"

	"swop/config"
)

// checkOwner refuses everything: there is nothing to run under an account on this system yet.
func checkOwner(string, config.Env) error {
	return errors.New("swop cannot be installed on this system yet")
}

func lock(string) (func(), error) { return func() {}, nil }

func mayWrite(string) bool { return false }

func ownedByOther(string) (int, bool) { return 0, false }

func linkCount(fs.FileInfo) uint64 { return 1 }

func keepOwner(*os.File, fs.FileInfo) error { return nil }
