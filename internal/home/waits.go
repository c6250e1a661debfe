package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// Defect is what waits in a sandbox.
type Defect struct {
	Name string // quoted, since names need not be UTF-8
	Text string // why it waits
	Do   string // what a person can do about it, "" for what the time or the next start repairs
}

// Examine returns what the last reconcile of the account could not repair, a line for each reason and remedy, with the names of its
// entries. It writes nothing.
func Examine(s store.Store, a account.Account, root account.Root, settings config.Settings) (list []Defect, err error) {
	if a.Meta.Confine != "" {
		return nil, nil
	}
	e, err := open(s, a, root, settings, Options{}, func(string) {})
	if err != nil {
		return nil, err
	}
	defer e.close()
	waited := readWaiting(a)
	found, err := e.scan()
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		at := slices.IndexFunc(waited, func(d Defect) bool { return d.Name == strconv.Quote(f.name) })
		if at >= 0 {
			e.waits = append(e.waits, waited[at])
		} else if err := writable(f.in.own); err != nil { // what waits could not be noted
			e.waits = append(e.waits, f.in.obstacle(f, err))
		}
	}
	for _, f := range e.stay {
		from := say.ShellQuote(f.source.view.target(f.source.name))
		do := "cp -a " + from + " " + say.ShellQuote(f.in.target(f.name))
		e.waits = append(e.waits, Defect{strconv.Quote(f.name), "is a link to your " + from + ", not a copy", do})
	}
	for _, d := range e.waits {
		same := func(other Defect) bool { return other.Text == d.Text && other.Do == d.Do }
		if at := slices.IndexFunc(list, same); at >= 0 {
			list[at].Name += ", " + d.Name
		} else {
			list = append(list, d)
		}
	}
	for i, d := range list {
		if strings.Contains(d.Name, `", "`) {
			list[i].Text = strings.Replace(d.Text, "waits", "wait", 1)
		}
	}
	return list, nil
}

// wait notes why the repair of an entry failed: the entry stays as it is, the others go on, and codex starts. It returns the error where
// the account is lost to another command, and for a private entry that leads into the shared home: codex would write there.
func (v *view) wait(e entry, err error) error {
	private := e.row.Class == rules.Private && (e.fault == wrongLink || e.fault == twin || e.fault == none && v.leadsTo(e.target) != "")
	switch {
	case err == nil, errors.Is(err, disk.ErrChanged):
		return nil
	case errors.Is(err, account.ErrHoldLost), private:
		return err
	}
	v.waits = append(v.waits, v.obstacle(e, err))
	return nil
}

// obstacle returns what err says of an entry, and what a person can do about it.
func (v *view) obstacle(e entry, err error) Defect {
	closed := writable(v.shared)
	if closed != nil {
		err = closed
	}
	d := Defect{strconv.Quote(e.name), "waits to be shared: " + err.Error(), "codex swop doctor --fix"}
	if hints := say.Hints(err); len(hints) > 0 {
		d.Do = hints[0]
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return d
	}
	at := v.shared.Path
	if in := new(fs.PathError); errors.As(err, &in) {
		at = in.Path
	}
	if isFull(errno) && closed == nil {
		at = v.account.Dir
	}
	path := say.ShellQuote(at)
	d.Text, d.Do = "waits to be shared: "+errno.Error(), "ls -ld "+path
	switch {
	case isFull(errno):
		d.Do = "free space on the disk of " + path + ": in a session rm ~/NAME removes only a link"
	case errno == sys.EROFS:
		d.Do = "mount the file system of " + path + " so that it can be written"
	case errno == sys.EBUSY:
		d.Do = "umount " + path
	case errno == syscall.EACCES:
		d.Do = "chmod u+rwx " + path
	case errno == sys.EXDEV:
		d.Do = "mv " + say.ShellQuote(v.own.Path+"/"+e.name) + " " + say.ShellQuote(v.target(e.name)+when(e.there.Exists(), ".own"))
	}
	return d
}

// The file of what waits in an account, so that a start says it once, and doctor can say why.
func waitingFile(a account.Account) string { return filepath.Join(a.Dir, "waiting.json") }

// readWaiting returns what waited after the last reconcile. A file that cannot be read says nothing.
func readWaiting(a account.Account) (list []Defect) {
	text, err := disk.ReadOwn(waitingFile(a), rules.MaxNames)
	if err != nil || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// remember writes what waits, where that changed, and says so.
func (e *engine) remember() {
	before := readWaiting(e.account)
	if slices.Equal(before, e.waits) {
		return
	}
	if text, err := json.Marshal(e.waits); err == nil && len(e.waits) > 0 {
		_ = disk.WriteFile(waitingFile(e.account), text) // what is lost is said again
	} else {
		_ = disk.RemoveIfExists(waitingFile(e.account))
	}
	if news := e.news(before); news != "" {
		e.say(news)
	}
}

// news returns the line that says what waits, "" if nothing does that did not wait before for the same reason.
func (e *engine) news(before []Defect) string {
	waiting := slices.DeleteFunc(slices.Clone(e.waits), func(d Defect) bool { return d.Do == "" })
	fresh := func(d Defect) bool { return !slices.Contains(before, d) }
	if !slices.ContainsFunc(waiting, fresh) {
		return ""
	}
	first := waiting[0]
	what := fmt.Sprintf("%s of account %q waits", first.Name, e.account.Meta.Label)
	if len(waiting) > 1 {
		what = fmt.Sprintf("%d entries of account %q wait", len(waiting), e.account.Meta.Label)
	}
	return fmt.Sprintf("%s to be shared (%s); see: codex swop doctor", what, strings.TrimPrefix(first.Text, "waits to be shared: "))
}
