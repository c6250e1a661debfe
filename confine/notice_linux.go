package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"swop/config"
	"swop/confine/mountns"
	"swop/confine/repository"
	"swop/say"
)

// noticed tells the user that something was replaced, or made, which the session may only read. Between that and the new mount the session could
// write it, so the user is told what changed since.
func (j *Jail) noticed(n mountns.Notice) {
	text := asideText(n.Path, n.Aside)
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
	j.request.noteReplaced(j.request.Policy.Mode, text)
}

func asideText(path, aside string) string {
	return fmt.Sprintf("%s appeared or changed while a confined session ran. git or codex would run what it says, so swop renamed it to %s: look at it before you rename it back",
		say.Name(path), say.Name(filepath.Join(filepath.Dir(path), aside)))
}

func (r *Request) noteReplaced(policy, text string) {
	_ = Note(r.Places.Root, Event{Time: r.Now().UTC(), Kind: Replaced, Account: r.Key, Policy: policy, Dir: r.Dir, Reason: text}) // a log that cannot be written changes nothing
}

// putAside puts aside what the session in dir left that git or codex would run programs for, and tells the user.
func (r *Request) putAside(dir string) error {
	in, err := readInside(filepath.Join(dir, "runtime"))
	began, statErr := os.Stat(filepath.Join(dir, "lock"))
	roots := linesOf(filepath.Join(dir, rootsFile))
	if err != nil || statErr != nil || len(roots) == 0 || in.Policy.Mode == config.ConfineFull {
		return nil // it has not begun, or could write more than is looked at
	}
	of := repository.Session{Began: began.ModTime(), Kept: linesOf(filepath.Join(dir, keptFile)), Git: in.Policy.Git == config.GitWrite}
	var failed []error
	for _, root := range config.Outermost(roots[1:]) {
		left, all, err := of.PutAside(root)
		failed = append(failed, err)
		for _, l := range left {
			r.Tell(asideText(l.Path, l.Aside))
			r.noteReplaced(in.Policy.Mode, asideText(l.Path, l.Aside))
		}
		if !all {
			r.Tell(say.Name(root) + " has too many directories to look for repositories in all of them: look before git runs in one that a confined session made")
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
