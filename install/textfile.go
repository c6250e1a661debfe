package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/disk"
)

// A textFile is a start-up file as it was read.
type textFile struct {
	path   string      // as it was asked for
	target string      // the file itself, all links resolved
	info   fs.FileInfo // nil: the file does not exist
	text   []byte
}

var (
	errDangling  = errors.New("is a link to a missing file")
	errNoFile    = errors.New("is not a regular file")
	errUTF16     = errors.New("is UTF-16 text")
	errReadOnly  = errors.New("is read-only")
	errHardLinks = errors.New("has several hard links")
	errChanged   = errors.New("was changed by another program at the same time")
)

// readText follows a link to its file. A file that is missing is no error; a link that leads nowhere is.
func readText(path string) (textFile, error) {
	f := textFile{path: path, target: path}
	info, err := os.Stat(path)
	if isMissing(err) {
		if _, err := os.Lstat(path); err == nil {
			return f, errDangling
		}
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if !info.Mode().IsRegular() {
		return f, errNoFile
	}
	if f.target, err = filepath.EvalSymlinks(path); err != nil {
		return f, err
	}
	f.info = info
	f.text, err = os.ReadFile(f.target)
	if bytes.HasPrefix(f.text, []byte("\xff\xfe")) || bytes.HasPrefix(f.text, []byte("\xfe\xff")) {
		return f, errUTF16 // as Windows PowerShell writes it
	}
	return f, err
}

// replace gives the file a new text. Mode and owner are kept, and the link if it is one. A file with several hard links is left alone: it
// would become one of its own.
func (f textFile) replace(text []byte) error {
	switch {
	case f.info == nil:
		return replaceFile(f.target, text, func(*os.File) error { return nil }, f.checkUnchanged)
	case f.info.Mode().Perm()&0o200 == 0:
		return errReadOnly
	case namesOf(f.info) > 1:
		return errHardLinks
	}
	like := func(to *os.File) error { return errors.Join(chownLike(to, f.info), to.Chmod(f.info.Mode().Perm())) }
	return replaceFile(f.target, text, like, f.checkUnchanged)
}

// checkUnchanged returns errChanged unless the file is still the one that was read.
func (f textFile) checkUnchanged() error {
	now, err := os.Stat(f.target)
	same := isMissing(err)
	if f.info != nil {
		same = err == nil && os.SameFile(now, f.info) && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime())
	}
	if !same {
		return errChanged
	}
	return nil
}

// staged is the name of a new file before it is renamed. A killed run leaves it; the next one removes it.
func staged(path string) string { return path + ".swop-new" }

// replaceFile puts a file with data in the place of the one at path: a reader, or a run that is killed, leaves the old file or the new one.
// prepare sets the owner and mode of the new file, and check returns why path must not be replaced after all.
func replaceFile(path string, data []byte, prepare func(*os.File) error, check func() error) error {
	if err := disk.RemoveIfExists(staged(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(staged(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = errors.Join(prepare(f), disk.Fill(f, data))
	if err == nil {
		err = check()
	}
	if err == nil {
		err = replaceProgram(staged(path), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(staged(path)))
	}
	return disk.SyncDir(filepath.Dir(path))
}
