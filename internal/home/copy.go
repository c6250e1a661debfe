package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/home/rules"
)

// copyFile makes a copy of a file or link, with its holes, permissions and time of modification, synced.
func copyFile(from disk.Dir, name, to string) error {
	if target, err := from.Readlink(name); err != nil || target != "" {
		return errors.Join(err, os.Symlink(target, to))
	}
	in, err := from.OpenFile(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = copyData(out, in, info.Size())
	return errors.Join(err, out.Chmod(info.Mode().Perm()), out.Sync(), out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// copyMarker gives the account's own .sandbox the marker of the user's, without which codex on Windows asks to set the machine up again.
func (e *engine) copyMarker() error {
	to := filepath.Join(e.account.CodexHome(), rules.SandboxMarker)
	from := filepath.Join(e.Root.SharedHome.Path, rules.SandboxMarker)
	if !disk.At(from).IsRegular() || disk.MayExist(to) {
		return nil
	}
	text, err := disk.ReadOwn(from, 64<<10)
	if err != nil {
		return err
	}
	if err := disk.MakeDirs(filepath.Dir(to)); err != nil {
		return err
	}
	return disk.Ignore(disk.CreateFile(to, []byte(text)), fs.ErrExist)
}
