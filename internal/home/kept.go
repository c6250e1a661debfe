package home

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// KeptDir is the directory in swop's root of what lost its name: a directory for each version, called by the time and the account, with the
// version at its path below HOME, or below .codex for that of the codex home. Anybody can read it with ls.
const KeptDir = "kept"

// keptCodex is where an entry of the codex home is in the directory of a version, wherever that home is. HOME's own .codex is never shared.
const keptCodex = ".codex"

// keptTime is the first part of the name of a version's directory, as Windows allows it.
const keptTime = "2006-01-02T150405.000000000Z"

// KeptID returns the name of the directory of a version of this moment.
func KeptID(at time.Time, key string) string { return at.UTC().Format(keptTime) + "-" + key }

// newDir is a new directory of kept/.
type newDir struct {
	top, dir, files disk.Dir // kept/, the version's, and where its entry goes
	id              string
}

// newKept makes the directory of a version. The caller has the lock of the shared home.
func newKept(root, view, key string, now time.Time) (d newDir, err error) {
	if d.top, err = disk.MakeBelow(root, KeptDir); err != nil {
		return d, err
	}
	for ; ; now = now.Add(1) {
		d.id = KeptID(now, key)
		if err = d.top.MkdirNew(d.id); !errors.Is(err, sys.EEXIST) {
			break
		}
	}
	if err == nil {
		d.dir, err = d.top.OpenDir(d.id)
	}
	if err != nil {
		return d, errors.Join(d.top.Err("mkdir", d.id, err), d.top.Close())
	}
	d.files = d.dir
	if view == rules.CodexView {
		if err = d.dir.Mkdir(keptCodex); err == nil {
			d.files, err = d.dir.OpenDir(keptCodex)
		}
	}
	if err != nil {
		d.close()
		return d, d.top.Err("mkdir", d.id, err)
	}
	return d, nil
}

// close closes the directory, which goes if nothing was left in it.
func (d newDir) close() {
	_ = d.dir.Rmdir(keptCodex)
	_ = d.top.Rmdir(d.id)
	if d.files != d.dir {
		_ = d.files.Close()
	}
	_, _ = d.dir.Close(), d.top.Close() // nothing was written through them
}

// Keep keeps text as a version of the entry called name in the codex home. It is written elsewhere, into the directory at scratch on the
// disk of swop's root, and then moved: killed anywhere, it is kept complete or not at all.
func Keep(l account.Layout, key, name, text, scratch string, now time.Time) error {
	from, err := disk.Open(scratch, disk.NoFollow)
	if err != nil {
		return err
	}
	defer from.Close()
	tmp := disk.TempName()
	if err := disk.WriteFile(filepath.Join(scratch, tmp), []byte(text)); err != nil {
		return err
	}
	d, err := newKept(l.Root, rules.CodexView, key, now)
	if err != nil {
		return err
	}
	defer d.close()
	return d.files.Err("rename", name, from.Move(tmp, d.files, name))
}

// parseKept returns the time and the account in the name of a version's directory, and whether it is one.
func parseKept(id string) (at time.Time, key string, ok bool) {
	if len(id) <= len(keptTime)+1 || id[len(keptTime)] != '-' {
		return at, "", false
	}
	at, err := time.Parse(keptTime, id[:len(keptTime)])
	return at, id[len(keptTime)+1:], err == nil
}

// toldStart begins the names of the files in kept/ whose times say when swop last told of an entry.
const toldStart = ".told-"

// toldFirst reports whether swop last told of the entry at path more than a day ago, and notes the time on a file of that name. Where it
// cannot, swop tells again.
func toldFirst(root, path string, now time.Time) bool {
	const day = 24 * time.Hour
	h := fnv.New64a()
	_, _ = io.WriteString(h, path) // it never fails
	note := filepath.Join(root, KeptDir, fmt.Sprintf(toldStart+"%x", h.Sum64()))
	if info, err := os.Lstat(note); err == nil {
		if age := now.Sub(info.ModTime()); age >= 0 && age < day { // one to come is what a clock leaves that was set back
			return false
		}
	}
	if f, err := os.OpenFile(note, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		_ = f.Close()
		_ = os.Chtimes(note, now, now)
	}
	return true
}
