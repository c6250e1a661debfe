package home

import (
	"errors"
	"path/filepath"
	"syscall"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// hardLinks is true: neither a junction nor a hard link needs a privilege, as a symbolic link does.
const hardLinks = true

// setLinkTime does nothing, and hasLinkTime reports true: nobody else makes junctions to a codex home.
func setLinkTime(disk.Dir, string) {}
func hasLinkTime(disk.Stat) bool   { return true }

// inherit does nothing: the profile's rights hold in both.
func (v *view) inherit() {}

func isFull(errno syscall.Errno) bool { return errno == sys.ENOSPC }

// writable returns nil: only the call itself tells.
func writable(disk.Dir) error { return nil }

// setViews sets what the sandbox shows: the codex home. HOME is left alone.
func (e *engine) setViews(settings config.Settings) error {
	_, private := settings.For(e.account.Key)
	codex, _ := rules.Views(e.layout, e.account, private)
	return e.addView(codex, e.root.SharedHome.Path)
}

func unchanged(store.Store, account.Account, account.Root, config.Settings) bool { return false }

// There is no stamp: the scan of a home at rest is short.
func (e *engine) begin(config.Settings) (rules.Stamp, error) {
	e.seen = readSeen(e.account.Dir)
	return rules.Stamp{}, nil
}
func (e *engine) end(rules.Stamp, bool) {}

// CheckVolumes refuses homes on two volumes, before there is an account: no file can be linked from one to the other.
func CheckVolumes(s store.Store, sharedHome string) error {
	a, err := disk.Device(sharedHome)
	b, err2 := disk.Device(s.Root)
	if err := errors.Join(err, err2); err != nil || a == b {
		return err
	}
	const text = "the shared home %s and the accounts in %s are on two volumes: a file cannot be linked from one to the other"
	err = disk.Unsafe(text, sharedHome, s.Root)
	return say.WithHint(err, "set SWOP_ROOT to a directory on "+filepath.VolumeName(sharedHome))
}
