package home

import (
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
)

// DropLinks removes the links of an account's home that lead into the home at was: a copy of that is the account's now.
func DropLinks(a account.Account, was string) error {
	d, err := disk.OpenBelow(a.Dir, a.Home())
	if err != nil {
		return err
	}
	defer d.Close()
	entries, err := d.Entries()
	for name := range entries {
		if target, _ := d.Readlink(name); err == nil && target == disk.WithoutSlash(was)+string(filepath.Separator)+name {
			err = d.Unlink(name)
		}
	}
	return err
}
