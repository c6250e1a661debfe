package doctor

import "swop/disk/sys"

// writable returns the file if another user can write it, else nil.
func writable(file string) *WritableFile {
	if who, err := sys.Others(file, sys.ToWrite); err != nil || who == "" {
		return nil
	}
	return &WritableFile{Path: file, Owner: -1}
}
