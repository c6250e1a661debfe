//go:build unix

package projection

import (
	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
	"swop/manager/store"
)

// Share unpins an entry that the account keeps to itself although the rules would share it by now: the next reconcile brings it to the
// shared home. It reports whether an entry of that name was pinned. It is an error if a rule still makes the name private.
func Share(s store.Store, a account.Account, name string, settings config.Settings) (bool, error) {
	recorded, err := readPinned(a)
	if err != nil {
		return false, err
	}
	_, private := settings.For(a.Key)
	codex, home := viewsOf(s.Layout, a, private)
	found, still := false, false
	for _, v := range []view{codex, home} {
		line := pinnedLine(v.name, name)
		switch {
		case !recorded[line]:
		case v.rules.Class(name) == stamp.Private:
			still = true
		default:
			found = true
			delete(recorded, line)
		}
	}
	switch {
	case !found && still:
		return false, disk.Unsafe("%q of %q is private by the rules", name, a.Meta.Label)
	case !found:
		return false, nil
	}
	return true, writePinned(a, recorded)
}
