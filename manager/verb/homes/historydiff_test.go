//go:build unix

package homes

import (
	"errors"
	"io/fs"
	"testing"

	"swop/home/history"
)

// A version that cannot be read may be the one that is looked for: it is not said that there is none.
func TestChooseUnread(t *testing.T) {
	unread := history.Version{ID: "1", About: history.About{Path: history.Unknown}, Err: fs.ErrPermission}
	found := history.Version{ID: "2", About: history.About{Path: "notes"}, Number: 1}
	b := backlog{versions: []history.Version{unread, found}}
	if _, err := b.choose(nil, "", "~/lost"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("choose of none = %v, want why one cannot be read", err)
	}
	if v, err := b.choose([]history.Version{found}, "", "~/notes"); v.ID != "2" || err != nil {
		t.Errorf("choose = %q, %v, want the one that is there", v.ID, err)
	}
}
