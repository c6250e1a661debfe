// Command zip writes a directory to a zip archive, in the same bytes everywhere: release.sh makes the archives for Windows with it.
//
//	zip PARENT NAME SECONDS >FILE
package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: zip PARENT NAME SECONDS >FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the directory called name in parent to stdout. Each file was changed so many seconds after 1970.
func write(parent, name, seconds string) error {
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(os.Stdout)
	err = filepath.WalkDir(filepath.Join(parent, name), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(parent, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to, err := archive.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(below), Method: zip.Deflate, Modified: time.Unix(at, 0).UTC()})
		if err == nil {
			_, err = to.Write(text)
		}
		return err
	})
	return errors.Join(err, archive.Close())
}
