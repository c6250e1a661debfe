package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/manager/disk"
)

// A textFile is a start-up file, or the record, as it was read.
type textFile struct {
	path   string      // as it was asked for
	target string      // the file itself, every link on the way resolved
	link   bool        // path itself is a link
	info   fs.FileInfo // nil: there is none
	text   []byte
}

var (
	errReadOnly = errors.New("is read-only")
	errMoved    = errors.New("was changed by another program at the same time")
)

// readText follows a link to its file. A file that is not there is no error; a link that leads nowhere is.
func readText(path string) (textFile, error) {
	f := textFile{path: path, target: path}
	at, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.link = at.Mode()&fs.ModeSymlink != 0
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, errors.New("is a link to a file that is not there")
	}
	if err != nil {
		return f, err
	}
	f.target = target
	if f.info, err = os.Stat(target); err != nil {
		return f, err
	}
	if !f.info.Mode().IsRegular() {
		return f, errors.New("is not a regular file")
	}
	f.text, err = os.ReadFile(target)
	return f, err
}

// replace gives the file a new text: all of it or, killed in between, nothing. Mode and owner stay, and the link if it is one.
// A file with several names, or one that cannot be renamed over, is appended to or cut off in place, which is all that the
// lines at its end need.
func (f textFile) replace(text []byte) error {
	if f.info != nil && f.info.Mode().Perm()&0o200 == 0 {
		return errReadOnly
	}
	if f.info != nil && linkCount(f.info) > 1 {
		return f.inPlace(text)
	}
	err := f.rename(text)
	if err == nil || errors.Is(err, errMoved) || f.info == nil {
		return err
	}
	if f.inPlace(text) == nil {
		return nil
	}
	return err
}

// beside is the name of the new file before it is renamed. A killed run leaves it; the next one takes it away.
func (f textFile) beside() string { return f.target + ".swop-new" }

func (f textFile) rename(text []byte) error {
	tmp := f.beside()
	if err := disk.RemoveIfExists(tmp); err != nil {
		return err
	}
	out, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if f.info != nil {
		err = errors.Join(keepOwner(out, f.info), out.Chmod(f.info.Mode().Perm()))
	}
	err = errors.Join(err, fill(out, bytes.NewReader(text)))
	if err == nil {
		err = f.moveOver(tmp)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return disk.SyncDir(filepath.Dir(f.target))
}

// moveOver renames tmp over the file if the file is still the one that was read.
func (f textFile) moveOver(tmp string) error {
	if !f.unchanged() {
		return errMoved
	}
	return os.Rename(tmp, f.target)
}

// remove removes the file if it is still the one that was read.
func (f textFile) remove() error {
	if !f.unchanged() {
		return errMoved
	}
	return os.Remove(f.target)
}

func (f textFile) unchanged() bool {
	now, err := os.Stat(f.target)
	if f.info == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(now, f.info) && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime())
}

// inPlace syncs what it adds. What it cuts off may be there again after a power failure: the next uninstall cuts it off.
func (f textFile) inPlace(text []byte) error {
	if !f.unchanged() {
		return errMoved
	}
	if bytes.HasPrefix(f.text, text) {
		return os.Truncate(f.target, int64(len(text)))
	}
	rest, ok := bytes.CutPrefix(text, f.text)
	if !ok {
		return fmt.Errorf("%s has other names, and swop's lines are not at its end", f.target)
	}
	out, err := os.OpenFile(f.target, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if err := fill(out, bytes.NewReader(rest)); err != nil {
		return errors.Join(err, os.Truncate(f.target, int64(len(f.text))))
	}
	return nil
}
