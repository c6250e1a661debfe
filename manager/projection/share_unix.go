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
	rules := map[string]stamp.Rules{"codex": stamp.CodexHomeRules(private.CodexHome, a.Meta.State), "home": stamp.HomeRules(private.Home, stamp.RootName(s.Layout))}
	found, still := false, false
	for view, r := range rules {
		line := pinnedLine(view, name)
		if !recorded[line] {
			continue
		}
		if r.Class(name) == stamp.Private {
			still = true
			continue
		}
		found = true
		delete(recorded, line)
	}
	if !found {
		if still {
			return false, disk.Unsafe("%q of %q is private by the rules", name, a.Meta.Label)
		}
		return false, nil
	}
	return true, writePinned(a, recorded)
}
