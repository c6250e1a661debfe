package install

import (
	"errors"
	"io/fs"
	"os"
)

// dataDirs lead from the home to where swop is installed.
var dataDirs = []string{"AppData", "Local", "Programs", "swop"}

// locksDirectories says whether an open directory can be locked, and removed while it is open.
const locksDirectories = false

// oldProgram ends the name of a program that was replaced while it ran: Windows lets it be renamed, and not removed. The next run removes
// it.
const oldProgram = ".old"

// replaceProgram puts a file in the place of one that may run.
func replaceProgram(from, to string) error {
	_ = os.Remove(to + oldProgram) // of an earlier run; it may run still
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrPermission) {
		if err = os.Rename(to, to+oldProgram); err == nil {
			err = os.Rename(from, to)
		}
	}
	return err
}

// Owners and names of start-up files, which Windows does not have.
func chownLike(*os.File, fs.FileInfo) error { return nil }
func namesOf(fs.FileInfo) uint64            { return 1 }
