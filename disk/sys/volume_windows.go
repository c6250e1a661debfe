//go:build !wine

package sys

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// Unlinkable returns why neither junctions nor hard links can be made in the directory, "" where they can.
func Unlinkable(dir string) string {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) && !isLocalPrefix(volume) {
		return "is on another machine"
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return err.Error()
	}
	var flags uint32
	var name [windows.MAX_PATH + 1]uint16
	if err := windows.GetVolumeInformation(root, nil, 0, nil, nil, &flags, &name[0], uint32(len(name))); err != nil {
		return "" // a volume that is mounted in a directory: the calls themselves tell
	}
	const links = windows.FILE_SUPPORTS_HARD_LINKS | windows.FILE_SUPPORTS_REPARSE_POINTS
	if flags&links != links {
		return "is on a disk with the file system " + windows.UTF16ToString(name[:]) + ", which has no links"
	}
	return ""
}

// isLocalPrefix reports whether the volume is one like \\?\C:.
func isLocalPrefix(volume string) bool {
	rest, ok := strings.CutPrefix(volume, `\\?\`)
	return ok && len(rest) == 2 && rest[1] == ':'
}
