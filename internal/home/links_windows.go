package home

import (
	"io"
	"os"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// hardLinks is true: neither a junction nor a hard link needs a privilege, as a symbolic link does.
const hardLinks = true

// setLinkTime does nothing, and hasLinkTime reports true: nobody else makes junctions to a codex home.
func setLinkTime(disk.Dir, string) {}
func hasLinkTime(disk.Stat) bool   { return true }

// inherit does nothing: the profile's rights hold in both.
func (v *view) inherit() {}

func copyData(out, in *os.File, _ int64) error {
	_, err := io.Copy(out, in)
	return err
}

// setViews sets what the sandbox shows: the codex home. HOME is left alone.
func (e *engine) setViews() error {
	_, private := e.Settings.For(e.account.Key)
	codex, _ := rules.Views(e.Store.Layout, e.account, private)
	return e.addView(codex, e.Root.SharedHome.Path)
}

func (*Homes) unchanged(*account.Account) bool { return false }

// There is no stamp: the scan of a home at rest is short.
func (e *engine) begin() (struct{}, error) {
	e.recall()
	return struct{}{}, nil
}
func (e *engine) end(struct{}, bool) {}
