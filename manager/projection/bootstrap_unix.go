//go:build unix

package projection

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// What the table marks as Bootstrap comes from the shared home or, if that has none yet, from the codex home that the account was taken over
// from, the bootstrap home: it is the set-up of the machine, and to run that again would rotate credentials.

// source returns the directory that the sandbox's link for name points into.
func (p *projection) source(name string) string {
	row, _ := p.rules.Row(name)
	if !row.Bootstrap || p.bootstrap == "" {
		return p.shared.Path
	}
	if there, err := p.shared.Stat(name); err != nil || there.Exists() {
		return p.shared.Path
	}
	return p.bootstrap
}

// addBootstrap adds to shared the entries that come from the bootstrap home.
func (p *projection) addBootstrap(shared map[string]disk.Entry) {
	if p.bootstrap == "" {
		return
	}
	for row := range p.rules.All() {
		if _, ok := shared[row.Pattern]; !ok && row.Bootstrap && p.inBootstrap(row.Pattern) {
			shared[row.Pattern] = disk.Entry{Mode: fs.ModeDir}
		}
	}
}

func (p *projection) inBootstrap(name string) bool {
	var st unix.Stat_t
	return unix.Lstat(filepath.Join(p.bootstrap, name), &st) == nil
}

// linkedEntry returns the entry that the sandbox's link for name shows.
func (p *projection) linkedEntry(name string) (disk.Stat, error) {
	if dir := p.source(name); dir != p.shared.Path {
		var st unix.Stat_t
		if unix.Lstat(filepath.Join(dir, name), &st) == nil {
			return disk.StatOf(&st), nil
		}
		return disk.Stat{}, nil
	}
	return p.shared.Stat(name)
}
