package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"swop/disk"
)

// A textFile is a start-up file, a completion or the record, as it was read.
type textFile struct {
	path   string      // as it was asked for
	target string      // the file itself, all links resolved
	link   bool        // path itself is a link
	info   fs.FileInfo // nil: the file does not exist
	text   []byte
}

var (
	errReadOnly  = errors.New("is read-only")
	errHardLinks = errors.New("has several hard links")
	errChanged   = errors.New("was changed by another program at the same time")
)

// readText follows a link to its file. A file that is missing is no error; a link that leads nowhere is.
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
		return f, errors.New("is a link to a missing file")
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

// replace gives the file a new text: all of it or, killed in between, nothing. Mode and owner are kept, and the link if it is one. A file with
// several hard links is left alone: it would become one of its own.
func (f textFile) replace(text []byte) error {
	switch {
	case f.info == nil:
	case f.info.Mode().Perm()&0o200 == 0:
		return errReadOnly
	case namesOf(f.info) > 1:
		return errHardLinks
	}
	r := replacement{path: f.target, tmp: f.tmp(), prepare: f.keepOwner, check: f.checkUnchanged}
	return r.write(text)
}

// tmp is the name of the new file before it is renamed. A killed run leaves it; the next one removes it.
func (f textFile) tmp() string { return f.target + ".swop-new" }

// keepOwner gives a new file the owner and mode of the one that it is to replace, if there is one.
func (f textFile) keepOwner(to *os.File) error {
	if f.info == nil {
		return nil
	}
	return errors.Join(chownLike(to, f.info), to.Chmod(f.info.Mode().Perm()))
}

// remove removes the file if it is still the one that was read.
func (f textFile) remove() error {
	if err := f.checkUnchanged(); err != nil {
		return err
	}
	return os.Remove(f.target)
}

// checkUnchanged returns errChanged unless the file is still the one that was read.
func (f textFile) checkUnchanged() error {
	now, err := os.Stat(f.target)
	same := errors.Is(err, fs.ErrNotExist)
	if f.info != nil {
		same = err == nil && os.SameFile(now, f.info) && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime())
	}
	if !same {
		return errChanged
	}
	return nil
}

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
		err = replaceProgram(r.tmp, r.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(r.tmp))
	}
	return disk.SyncDir(filepath.Dir(r.path))
}
