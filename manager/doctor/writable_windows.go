package doctor

import "swop/internal/disk/sys"

// writable returns the file if another user can write it, else nil.
func writable(file string) *openFile {
	if who, err := sys.Others(file, sys.ToWrite); err != nil || who == "" {
		return nil
	}
	return &openFile{Owner: -1}
}
