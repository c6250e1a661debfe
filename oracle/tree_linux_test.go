package oracle

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// node is an entry of a home.
type node struct {
	kind fs.FileMode // the type, 0 for a regular file
	mode fs.FileMode
	text string // what a regular file holds, where a link leads
}

// tree returns the entries of a home by their paths below it, without swop's root.
func tree(home string) map[string]node {
	found := map[string]node{}
	_ = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error { // what is removed meanwhile is not there
		if path == filepath.Join(home, ".swop") {
			return fs.SkipDir
		}
		name := strings.TrimPrefix(path, home+"/")
		if n, ok := nodeAt(path); ok && err == nil && path != home {
			found[name] = n
		}
		return nil
	})
	return found
}

// nodeAt returns the entry at path, and follows no link.
func nodeAt(path string) (node, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return node{}, false
	}
	n := node{kind: info.Mode().Type(), mode: info.Mode().Perm()}
	switch n.kind {
	case 0:
		text, err := os.ReadFile(path)
		if err != nil {
			return n, false
		}
		n.text = string(text)
	case fs.ModeSymlink:
		n.text, err = os.Readlink(path)
	}
	return n, err == nil
}
