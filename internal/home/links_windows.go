package home

import (
	"errors"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
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

// setViews sets what the sandbox shows: the codex home. HOME is left alone.
func (e *engine) setViews() error {
	_, private := e.Settings.For(e.account.Key)
	codex, _ := rules.Views(e.Store.Layout, e.account, private)
	return e.addView(codex, e.Root.SharedHome.Path)
}

func (Homes) unchanged(account.Account) bool { return false }

// There is no stamp: the scan of a home at rest is short.
func (e *engine) begin() (rules.Stamp, error) {
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
