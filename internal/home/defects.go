package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// Defect is an entry of a sandbox that is not shared.
type Defect struct {
	Name string // quoted, since names need not be UTF-8
	Text string // why it is not
	Do   string // the command that helps; "" where none is needed, or the next start repairs the entry
}

// Examine returns the entries that the account does not share with others: those that the last reconcile could not repair, and those that
// are private by an earlier rule or for their names alone; one line for each reason and remedy. It writes nothing.
func (h Homes) Examine(a account.Account) (list []Defect, err error) {
	if a.Meta.Confine != "" {
		return nil, nil
	}
	e, err := h.open(a, Options{})
	defer e.close()
	if err != nil {
		return nil, err
	}
	waited := readWaiting(a)
	if _, err := e.scan(); err != nil {
		return nil, err
	}
	for _, v := range e.views {
		for _, name := range slices.Sorted(maps.Keys(v.entries)) {
			d := v.entries[name].apart(waited)
			same := func(other Defect) bool { return other.Text == d.Text && other.Do == d.Do }
			if at := slices.IndexFunc(list, same); at >= 0 {
				list[at].Name += ", " + d.Name
			} else if d.Text != "" {
				list = append(list, d)
			}
		}
	}
	for i, d := range list {
		list[i].Text = strings.Replace(d.Text, "[]", "["+d.Name+"]", 1)
	}
	return list, nil
}

// apart returns the reason why an entry is not shared, the zero value if it is shared, or will be by the next start.
func (e entry) apart(waited []Defect) Defect {
	name := strconv.Quote(e.name)
	row, named := e.view.Rules.Row(e.name)
	share := "to share it, in config.toml: " + when(e.view.Name == rules.CodexView, "codex_") + "home.shared = []"
	switch at := slices.IndexFunc(waited, func(d Defect) bool { return d.Name == name }); {
	case e.isWrong() && at >= 0:
		return waited[at]
	case e.source.view != nil && !e.isWrong():
		from := say.ShellQuote(e.source.view.target(e.source.name))
		return Defect{name, "is a link to your " + from + ", not a copy", "cp -a " + from + " " + say.ShellQuote(e.view.target(e.name))}
	case e.view.pins.has(e.view.Name, e.name) && row.Class.Shared():
		return Defect{name, "kept private by an earlier setting; " + share, ""}
	case !named && row.Class == rules.Private:
		return Defect{name, "kept private: looks like a credential; " + share, ""}
	case e.isHard() && e.view.device != e.view.sandbox && e.mine.Exists():
		do := "set SWOP_ROOT to a directory on the file system of " + e.view.shared.Path
		return Defect{name, "kept private: it lies on another file system than the shared home", do}
	}
	return Defect{}
}

// wait notes why the repair of an entry failed: the entry stays as it is, the others go on, and codex starts. It returns the error where
// the account is lost to another command, for a private entry that leads into the shared home, where codex would write, and to `codex`.
func (v *view) wait(e entry, err error) error {
	private := e.row.Class == rules.Private && (e.fault == wrongLink || e.fault == none && v.leadsTo(e.target) != "")
	switch {
	case err == nil, errors.Is(err, disk.ErrChanged):
		return nil
	case errors.Is(err, account.ErrHoldLost), private, v.options.LinksOnly:
		return err
	}
	do := append(say.Hints(err), "ls -ld "+say.ShellQuote(v.own.Path)+" "+say.ShellQuote(v.shared.Path))[0]
	if errors.Is(err, sys.EXDEV) {
		own, there := filepath.Join(v.own.Path, e.name), v.target(e.name)+when(e.there.Exists(), ".own")
		do = "mv " + say.ShellQuote(own) + " " + say.ShellQuote(there)
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno
	}
	v.waits = append(v.waits, Defect{strconv.Quote(e.name), waits + err.Error(), do})
	return nil
}

// waits begins the text about an entry that cannot be shared now.
const waits = "cannot be shared: "

// waitingFile holds the defects of an account, so that a start tells them once, and doctor knows the reasons.
func waitingFile(a account.Account) string { return filepath.Join(a.Dir, "waiting.json") }

// readWaiting returns the defects of the last reconcile, none where the file cannot be read.
func readWaiting(a account.Account) (list []Defect) {
	text, err := disk.ReadOwn(waitingFile(a), rules.MaxNames)
	if err != nil || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// remember writes the defects, where they changed, and says how many of them need somebody to do something.
func (e *engine) remember() {
	if slices.Equal(readWaiting(e.account), e.waits) {
		return
	}
	if text, err := json.Marshal(e.waits); err == nil && len(e.waits) > 0 {
		_ = disk.WriteFile(waitingFile(e.account), text) // defects that are lost are told again
	} else {
		_ = disk.RemoveIfExists(waitingFile(e.account))
	}
	list := slices.DeleteFunc(slices.Clone(e.waits), func(d Defect) bool { return d.Do == "" })
	if len(list) > 0 {
		const text = "account %q cannot share %d of its entries, such as %s (%s); see: codex swop doctor"
		e.Say(fmt.Sprintf(text, e.account.Meta.Label, len(list), list[0].Name, strings.TrimPrefix(list[0].Text, waits)))
	}
}
