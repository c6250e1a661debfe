package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/confine/repository"
	"swop/disk"
	"swop/say"
)

// noticed tells the user that something was replaced, or made, which the session may only read. Between that and the new mount the session could
// write it, so the user is told what changed since.
func (j *Jail) noticed(n mountns.Notice) {
	text := asideText(n.Path, filepath.Join(filepath.Dir(n.Path), n.Aside))
	switch {
	case n.Error != "":
		text = say.Name(n.Path) + " appeared or changed while a confined session runs, and cannot be renamed: " + n.Error + ": look at it before git or codex runs there"
	case n.Aside == "":
		text = say.Name(n.Path) + " was replaced while a confined session runs, and is read-only in it again"
		if changed := changedSince(n.Path, n.Since); len(changed) > 0 {
			text += "; look at what changed meanwhile, before it is used: " + strings.Join(changed, ", ")
		}
	default:
		if err := j.noteMade(n.Path); err != nil {
			text += "; the empty one in its place stays: " + err.Error()
		}
	}
	if j.request.Screen() {
		j.late = append(j.late, text)
	} else {
		j.request.Tell(text)
	}
	j.request.noteReplaced(j.request.Policy.Mode, text)
}

func asideText(path, aside string) string {
	return fmt.Sprintf("%s appeared or changed while a confined session ran. git or codex would run what it says, so swop renamed it to %s: look at it before you rename it back",
		say.Name(path), say.Name(aside))
}

func (r *Request) noteReplaced(policy, text string) {
	_ = Note(r.Places.Root, Event{Time: r.Now().UTC(), Kind: Replaced, Account: r.Key, Policy: policy, Dir: r.Dir, Reason: text}) // a log that cannot be written changes nothing
}

// putAside puts aside what the session in dir left that git or codex would run programs for, and tells the user.
func (r *Request) putAside(dir string) error {
	in, err := readInside(filepath.Join(dir, "runtime"))
	began, statErr := os.Stat(filepath.Join(dir, "lock"))
	if err != nil || statErr != nil || in.Policy.Mode == config.ConfineFull {
		return nil // it has not begun, or could write more than is looked at
	}
	roots := config.Outermost(append(linesOf(filepath.Join(dir, writtenFile)), upperDir(dir), filepath.Join(filepath.Dir(dir), refused)))
	of := repository.Session{Roots: roots, Kept: linesOf(filepath.Join(dir, keptFile)), Had: linesOf(filepath.Join(dir, hadFile)), User: repository.UserOf(disk.Resolve(r.Places.Home), r.Outside)}
	var failed []error
	confined := filepath.Dir(dir)
	for _, root := range roots {
		of.Began, of.Git = began.ModTime(), in.Policy.Git == config.GitWrite
		if config.Within(root, confined) {
			of.Began, of.Git = time.Time{}, false // no repository of the user's is there
		}
		left, all, err := of.PutAside(root)
		failed = append(failed, err)
		for _, text := range leftTexts(root, left) {
			r.Tell(text)
			r.noteReplaced(in.Policy.Mode, text)
		}
		if !all {
			r.Tell(say.Name(root) + " has too many directories to look for repositories in all of them, or some that cannot be read: look before git runs in one that a confined session made")
		}
	}
	return errors.Join(failed...)
}

// leftTexts returns a line for each of the first 20 things that were renamed, and one that counts the others.
func leftTexts(root string, left []repository.Left) (list []string) {
	const most = 20
	heads, asides := map[string]string{}, map[string]bool{}
	for _, l := range left {
		asides[l.Aside] = true
		if filepath.Base(l.Path) == "HEAD" {
			heads[filepath.Dir(l.Path)] = filepath.Base(l.Aside)
		}
	}
	for _, l := range left {
		switch head := heads[l.Aside]; {
		case l.Deep:
			list = append(list, say.Name(l.Path)+" has too long a path to look into, so swop moved it to "+say.Name(l.Aside))
		case filepath.Base(l.Path) == "HEAD" && asides[filepath.Dir(l.Path)]: // is told with the directory
		case head != "":
			list = append(list, asideText(l.Path, l.Aside+", and HEAD in it to "+head))
		default:
			list = append(list, asideText(l.Path, l.Aside))
		}
	}
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("swop renamed %d more in %s, to names with .unchecked-", len(list)-most, say.Name(root)))
	}
	return list
}

// passOn lets the sessions that write to the same directories as the one in dir, which has ended, count as begun when that did: from the look at its end they
// can hide what it has made.
func (r *Request) passOn(dir string) error {
	began, err := os.Stat(filepath.Join(dir, "lock"))
	if err != nil {
		return nil // it has not begun
	}
	written := linesOf(filepath.Join(dir, writtenFile))
	shared := func(path string) bool {
		return path != r.own() && slices.ContainsFunc(written, func(mine string) bool { return config.Within(path, mine) || config.Within(mine, path) })
	}
	var failed []error
	for _, other := range desk.JailDirs(r.Places.Root) {
		lock, list := filepath.Join(other, "lock"), filepath.Join(other, writtenFile)
		starting := !disk.At(list).Exists()
		if now, err := os.Stat(lock); err == nil && began.ModTime().Before(now.ModTime()) && (starting || slices.ContainsFunc(linesOf(list), shared)) {
			failed = append(failed, os.Chtimes(lock, began.ModTime(), began.ModTime()))
		}
	}
	return errors.Join(failed...)
}

// changedSince returns what in a directory, or of a file, changed after a time, and how many more.
func changedSince(path string, since time.Time) (list []string) {
	const most = 5
	more := 0
	for at, entry := range repository.Changed(path, since) {
		if entry.IsDir() {
			continue
		}
		if more++; more <= most {
			list = append(list, say.Name(at))
		}
	}
	if more > most {
		list = append(list, fmt.Sprintf("and %d more", more-most))
	}
	return list
}
