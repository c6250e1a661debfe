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

// Defect is an entry of a sandbox that is not as it should be.
type Defect struct {
	Name string // "" for the whole of it
	Text string // what is wrong with it
	Do   string // what a person can do about it, "" for what the time or the next start repairs
	Wait bool   // the last start could not repair it, for the reason in Text
	Own  bool   // it may be in the sandbox alone
}

// String returns the name, quoted, and what is wrong.
func (d Defect) String() string {
	if d.Name == "" {
		return d.Text
	}
	return strconv.Quote(d.Name) + " " + d.Text
}

// Waiting returns what waits, a line for each reason and remedy, with the names of its entries.
func Waiting(defects []Defect) (list []Defect) {
	for len(defects) > 0 {
		first := defects[0]
		var names []string
		defects = slices.DeleteFunc(slices.Clone(defects), func(d Defect) bool {
			same := d.Text == first.Text && d.Do == first.Do
			if same {
				names = append(names, strconv.Quote(d.Name))
			}
			return same
		})
		text := names[0] + " " + first.Text
		if len(names) > 1 {
			text = strings.Join(names, ", ") + " wait" + strings.TrimPrefix(first.Text, "waits")
		}
		if first.Wait {
			list = append(list, Defect{Text: text, Do: first.Do})
		}
	}
	return list
}

// Examine returns what the next reconcile of the account would repair, and what the last one could not. It writes nothing.
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
		at := slices.IndexFunc(waited, func(d Defect) bool { return d.Name == f.name })
		if at >= 0 {
			e.waits = append(e.waits, waited[at])
		} else if err := writable(f.in.own); err != nil { // what waits could not be noted
			e.waits = append(e.waits, f.in.obstacle(f, err))
		} else if text := describe(f.in, f); text != "" {
			list = append(list, Defect{Name: f.name, Text: text, Own: f.fault == ownEntry})
		}
	}
	for _, f := range e.stay {
		from := say.ShellQuote(f.source.view.target(f.source.name))
		list = append(list, Defect{
			Name: f.name, Text: "is a link to your " + from + ", not a copy", Do: "cp -a " + from + " " + say.ShellQuote(f.in.target(f.name)), Wait: true,
		})
	}
	return append(list, e.waits...), nil
}

// describe returns what is wrong with an entry, "" for what every start makes again.
func describe(v *view, e entry) string {
	switch {
	case e.fault == wrongLink && (e.there.Exists() || e.target != v.target(e.name)):
		return "is a link that points to the wrong place"
	case e.fault == ownEntry && e.there.Exists():
		return "is this account's own version of a shared entry"
	case e.fault == ownEntry:
		return "waits to be shared"
	case e.fault == otherName:
		return "waits to be moved or copied outside, as the session did"
	case e.fault == twin && e.row.Class == rules.Private:
		return "is private, but still the same file as the shared one"
	}
	return ""
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
	d := Defect{Name: e.name, Text: "waits to be shared: " + err.Error(), Do: "codex swop doctor --fix", Wait: true, Own: e.fault == ownEntry && e.mine.Movable()}
	if hints := say.Hints(err); len(hints) > 0 {
		d.Do = hints[0]
	}
	closed := writable(v.shared)
	if errors.Is(err, sys.EXDEV) && closed != nil {
		err = closed // a read-only mount is another one, too
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return d
	}
	at, mine, there := v.shared.Path, say.ShellQuote(v.own.Path+"/"+e.name), say.ShellQuote(v.target(e.name))
	if in := new(fs.PathError); errors.As(err, &in) {
		at = in.Path
	}
	d.Text, d.Do = "waits to be shared: "+errno.Error(), "ls -ld "+say.ShellQuote(at)
	switch path := say.ShellQuote(at); {
	case isFull(errno):
		full := v.account.Dir
		if v.apart && !config.Within(at, full) {
			full = v.shared.Path
		}
		d.Text += " in " + full
		const text = "free space on the disk of %[1]s: rm %[1]s/NAME removes a file, in a session rm ~/NAME only a link to it"
		d.Do = fmt.Sprintf(text, v.shared.Path)
	case errno == sys.EROFS:
		d.Do = "mount the file system of " + path + " so that it can be written"
	case errno == sys.EBUSY:
		d.Do = "umount " + path
	case errno == sys.EXDEV && !e.there.Exists():
		d.Do = "mv " + mine + " " + there
	case errno == sys.EXDEV:
		d.Do = "mv " + mine + " " + there + ".own"
	case errno == syscall.EACCES && closed != nil:
		d.Do = "chmod u+rwx " + say.ShellQuote(v.shared.Path)
	case errno == syscall.EACCES:
		d.Do = "chmod -R u+rwX " + path
	case errno == syscall.EPERM:
		d.Do = path + " may be immutable, as after chattr +i"
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
	for i := range list {
		if name, err := strconv.Unquote(list[i].Name); err == nil {
			list[i].Name = name
		}
	}
	return list
}

// remember writes what waits, where that changed, and says so.
func (e *engine) remember() {
	before := readWaiting(e.account)
	if slices.Equal(before, e.waits) {
		return
	}
	list := slices.Clone(e.waits)
	for i := range list {
		list[i].Name = strconv.Quote(list[i].Name) // names need not be UTF-8
	}
	if text, err := json.Marshal(list); err == nil && len(list) > 0 {
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
	what := fmt.Sprintf("%q of account %q waits", first.Name, e.account.Meta.Label)
	if len(waiting) > 1 {
		what = fmt.Sprintf("%d entries of account %q wait", len(waiting), e.account.Meta.Label)
	}
	return fmt.Sprintf("%s to be shared (%s); see: codex swop doctor", what, strings.TrimPrefix(first.Text, "waits to be shared: "))
}
