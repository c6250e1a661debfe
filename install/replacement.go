//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"

	"swop/manager/disk"
)

// A replacement puts a new file in the place of the one at path: a reader, or a run that is killed, leaves the old file or the new one.
type replacement struct {
	path    string
	tmp     string                 // the new file before it is renamed, in the same directory
	prepare func(f *os.File) error // sets the owner and mode of the new file; nil leaves what the umask makes of 0644
	check   func() error           // returns why path must not be replaced after all; nil is no reason
}

func (r replacement) write(data []byte) error {
	if err := disk.RemoveIfExists(r.tmp); err != nil {
		return err
	}
	f, err := os.OpenFile(r.tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if r.prepare != nil {
		err = r.prepare(f)
	}
	err = errors.Join(err, disk.Fill(f, data))
	if err == nil && r.check != nil {
		err = r.check()
	}
	if err == nil {
		err = os.Rename(r.tmp, r.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(r.tmp))
	}
	return disk.SyncDir(filepath.Dir(r.path))
}
