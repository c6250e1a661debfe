package swop

import (
	"swop/disk/sys"
	"swop/manager/verb"
	"swop/say"
)

// tighten closes a directory or a login if others have rights on it.
func tighten(call *verb.Call, path string) {
	if who, err := sys.Others(path, sys.ToRead|sys.ToWrite); err == nil && who != "" {
		fixed(call, sys.Protect(path), "%s was open to %s, and is yours alone now", say.Name(path), who)
	}
}
