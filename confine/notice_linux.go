package confine

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/confine/mountns"
	"swop/say"
)

// noticed tells the user that something was replaced, or made, which the session may only read. Between that and the new mount the session could
// write it, so the user is told what changed since.
func (j *Jail) noticed(n mountns.Notice) {
	text := fmt.Sprintf("%s appeared while a confined session runs, which must not make one: it is %s now; look at it before git or codex runs there",
		say.Name(n.Path), say.Name(filepath.Join(filepath.Dir(n.Path), n.Aside)))
	if n.Aside == "" {
		text = say.Name(n.Path) + " was replaced while a confined session runs, and is read-only in it again"
		if changed := changedSince(n.Path, n.Since); len(changed) > 0 {
			text += "; look at what changed meanwhile, before it is used: " + strings.Join(changed, ", ")
		}
	} else if err := j.noteMade(n.Path); err != nil {
		text += "; the empty one in its place stays: " + err.Error()
	}
	if j.request.Screen() {
		j.late = append(j.late, text)
	} else {
		j.request.Tell(text)
	}
	_ = Note(j.request.Places.Root, Event{ // a log that cannot be written changes nothing
		Time: j.request.Now().UTC(), Kind: Replaced, Account: j.request.Key, Policy: j.request.Policy.Mode, Dir: j.request.Dir, Reason: text,
	})
}

// changedSince returns what in a directory, or of a file, changed after a time, and how many more.
func changedSince(path string, since time.Time) (list []string) {
	const most, clock = 5, 10 * time.Millisecond // files have the time of the last tick
	more := 0
	_ = filepath.WalkDir(path, func(at string, _ fs.DirEntry, err error) error { // what is gone was not changed
		var st unix.Stat_t
		if err != nil || unix.Lstat(at, &st) != nil || time.Unix(st.Ctim.Unix()).Before(since.Add(-clock)) || st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return nil
		}
		if more++; more <= most {
			list = append(list, say.Name(at))
		}
		return nil
	})
	if more > most {
		list = append(list, fmt.Sprintf("and %d more", more-most))
	}
	return list
}
