//go:build unix

package rules

import (
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// The stamp of an account says what everything was like that a look at it depends on, when the last look found nothing to repair: a digest
// of the settings, of the table, and of the identities and times of the directories that are compared. An entry that comes, goes or is
// replaced changes the times of its directory. It is not synced: a stamp that is lost, or that a crash tore, makes the next start look.

// Subject is an account, and what a look at it needs to know.
type Subject struct {
	Layout  account.Layout
	Root    account.Root
	Account account.Account
}

// Unchanged reports whether nothing changed since the last look, and that found nothing to repair. It writes nothing.
func (r *Subject) Unchanged(isolation string, private config.Private) bool {
	text, err := disk.ReadFile(StampFile(&r.Account), unix.O_NOFOLLOW, 1024)
	if err != nil || r.Account.Meta.RealHome != r.Layout.Home {
		return false
	}
	now, _, err := r.Digest(isolation, private)
	return err == nil && text == now
}

// StampFile is the file of an account's stamp.
func StampFile(a *account.Account) string { return a.Dir + "/stamp" }

// Digest returns what the stamp is to say, and when the newest change was. The error is of a directory that cannot be looked at, or is not
// the user's alone.
func (r *Subject) Digest(isolation string, private config.Private) (text string, changed unix.Timespec, err error) {
	text = strconv.FormatUint(r.Inputs(isolation, private), 16)
	add := func(path string, follow disk.LinkPolicy) error {
		var st unix.Stat_t
		if follow == disk.Follow {
			err = unix.Stat(path, &st)
		} else if err = unix.Lstat(path, &st); err == nil {
			err = r.Layout.CheckOwned(path, &st)
		}
		text += fmt.Sprintf(" %d:%d %d %d", st.Dev, st.Ino, st.Mtim.Nano(), st.Ctim.Nano())
		if disk.Older(changed, st.Ctim) {
			changed = st.Ctim
		}
		return err
	}
	for i, path := range []string{r.Root.SharedHome.Path, r.Account.CodexHome(), r.Account.Home(), r.Layout.Home} {
		if err := add(path, disk.LinkPolicy(i == 0 || i == 3)); err != nil {
			return "", changed, err
		}
	}
	var st unix.Stat_t
	if unix.Lstat(PinnedFile(r.Account.Dir), &st) == nil {
		text += fmt.Sprintf(" %d %d", st.Ino, st.Mtim.Nano())
	}
	return text, changed, nil
}

// Settled reports whether a change after now would show in the times of what changed last: file times have ticks, some of whole seconds,
// two in the worst case. A time in the future, which a clock that was set back leaves, is never settled.
func Settled(changed, now unix.Timespec) bool {
	if changed.Nsec == 0 {
		return changed.Sec+2 < now.Sec
	}
	return disk.Older(changed, now)
}
