//go:build !wine

package sys

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// Unlinkable returns why neither junctions nor hard links can be made in the directory, "" where they can.
func Unlinkable(dir string) string { return unlinkable(filepath.VolumeName(dir), features) }

// unlinkable decides that by the name of the volume, and what features says of its root.
func unlinkable(volume string, features func(root string) (flags uint32, system string, err error)) string {
	drive := strings.TrimPrefix(volume, `\\?\`)
	if strings.HasPrefix(volume, `\\`) && (len(drive) != 2 || drive[1] != ':') {
		return "is on another machine"
	}
	const links = windows.FILE_SUPPORTS_HARD_LINKS | windows.FILE_SUPPORTS_REPARSE_POINTS
	flags, system, err := features(volume + `\`)
	if err == nil && flags&links != links { // a volume that is mounted in a directory tells nothing: the calls themselves do
		return "is on a disk with the file system " + system + ", which has no links"
	}
	return ""
}

func features(root string) (flags uint32, system string, err error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return 0, "", err
	}
	var buf [windows.MAX_PATH + 1]uint16
	err = windows.GetVolumeInformation(name, nil, 0, nil, nil, &flags, &buf[0], uint32(len(buf)))
	return flags, windows.UTF16ToString(buf[:]), err
}
