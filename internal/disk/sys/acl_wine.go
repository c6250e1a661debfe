//go:build windows && wine

package sys

import "os"

// Wine makes its ACLs from the permissions that Linux has for a file. Tests under it do without.

// Access is what another user may do with a file.
type Access uint32

const (
	ToRead    Access = 1
	ToWrite   Access = 2
	ToReplace Access = 4
)

func MakeDir(path string) error { return Errno(os.Mkdir(path, 0o700)) }

func Protect(string) error { return nil }

func Others(string, Access) (who string, err error) { return "", nil }
