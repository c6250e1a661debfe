//go:build unix

package manager

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"swop/config"
)

// A start of codex looks at two directories twice over, each in the shared or real home and in the sandbox. Where the last look found
// nothing to mend, it need not be repeated as long as they are as they were: the same directories, with the same times, or at least
// with the same entries as far as the projection is concerned. What else a look depends on is summed up in [head].inputs.

// unmoved reports whether nothing moved since the last look, and that found nothing to mend. It notes that it looked.
func (r *reconciler) unmoved(isolation string, private config.Private) bool {
	if r.stamp == nil || r.stamp.head.watches == 0 || r.account.Meta.RealHome != r.store.Home {
		return false
	}
	h := &r.stamp.head
	now, err := coarseNow()
	if err != nil || older(now, h.at) || h.inputs != r.inputs(isolation, private) || h.kept != r.keptMark() || !r.pairedAsWas(h.paired) {
		return false
	}
	for i := range h.watches {
		if !r.sameEntries(h, i, private, now) {
			return false
		}
	}
	h.at = now
	r.stamp.renew()
	return true
}

// sameEntries reports whether the i-th directory is that of its mark, nobody else's, and has its entries. Where its times moved and have
// settled, the mark gets them.
func (r *reconciler) sameEntries(h *head, i int, private config.Private, now unix.Timespec) bool {
	was := &h.marks[i]
	path, follow := r.watchedPath(i)
	var st unix.Stat_t
	if err := statDir(path, follow, &st); err != nil {
		return false
	}
	if follow == refuseLink && r.store.checkOwned(path, &st) != nil {
		return false
	}
	is := markOf(&st)
	if was.unmoved(is) {
		return true
	}
	if is.dev != was.dev || is.ino != was.ino {
		return false
	}
	sum, err := listSum(path, follow, r.sumOf(i, h.watches, private))
	if err != nil || sum != was.sum {
		return false
	}
	if is.settled(now) { // else it may change again without a trace: the next start lists it again
		is.sum = sum
		*was = is
	}
	return true
}

func statDir(path string, follow followLink, st *unix.Stat_t) error {
	if follow == followsLink {
		return unix.Stat(path, st)
	}
	return unix.Lstat(path, st)
}

// The order of the marks. Where the isolation leaves HOME alone there are three: of the sandbox home only that it holds nothing else.
const (
	sharedCodex = iota
	sandboxCodex
	sandboxHome
	realHome
)

func (r *reconciler) watchedPath(i int) (path string, follow followLink) {
	switch i {
	case sharedCodex:
		return r.root.SharedHome.Path, followsLink
	case sandboxCodex:
		return r.account.CodexHome(), refuseLink
	case sandboxHome:
		return r.account.Home(), refuseLink
	}
	return r.store.Home, followsLink
}

// sumOf returns what counts of an entry of the i-th of n directories.
func (r *reconciler) sumOf(i, n int, private config.Private) func(string, dirent) uint64 {
	rules := HomeRules(private.Home, r.store.rootName())
	switch {
	case n == realHome && i == sandboxHome:
		return nameSum
	case i == sharedCodex, i == sandboxCodex:
		rules = CodexHomeRules(private.CodexHome, r.account.Meta.State)
	}
	if i == sharedCodex || i == realHome {
		return rules.sharedSum
	}
	return rules.sandboxSum
}

// listSum is the sum of a directory's entries, in whatever order they are listed.
func listSum(path string, follow followLink, sum func(string, dirent) uint64) (total uint64, err error) {
	d, err := openFolder(path, follow)
	if err != nil {
		return 0, err
	}
	err = d.each(func(name string, entry dirent) error {
		total += sum(name, entry)
		return nil
	})
	if closed := d.close(); err == nil {
		err = closed
	}
	return total, err
}

func entriesSum(entries map[string]dirent, sum func(string, dirent) uint64) (total uint64) {
	for name, entry := range entries {
		total += sum(name, entry)
	}
	return total
}

// sharedSum is what counts of an entry of the shared directory: that there is one which the sandbox shows. Its inode is the concern of
// the link's reader; but for a hard-linked file, it is what the two names have in common.
func (r Rules) sharedSum(name string, entry dirent) uint64 {
	switch row, _ := r.row(name); {
	case row.Class == HardLink:
		return mixed(textSum(name) ^ entry.ino)
	case row.Class.linked(), isOurs(name):
		return textSum(name)
	}
	return 0
}

// sandboxSum is what counts of an entry of the sandbox: of a link, which one it is; of what is not shared, that it is there.
func (r Rules) sandboxSum(name string, entry dirent) uint64 {
	sum := mixed(textSum(name) ^ uint64(entry.mode))
	switch row, _ := r.row(name); {
	case entry.mode&fs.ModeSymlink != 0, row.Class == HardLink:
		return mixed(sum ^ entry.ino)
	case row.Class == Private && row.Transient && !isOurs(name):
		return 0
	}
	return sum
}

// isOurs reports whether the name is one that a run gave an entry that it was moving.
func isOurs(name string) bool {
	_, aside := asideOf(name)
	return aside || isCopy(name)
}

// nameSum is what counts of an entry of which only its name does.
func nameSum(name string, _ dirent) uint64 { return textSum(name) }

// textSum is FNV-1a, mixed: sums of it are added up.
func textSum(text string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return mixed(h)
}

// inputs is the sum of all beside the directories that a look depends on: the rules, where the homes are, and which isolation holds.
func (r *reconciler) inputs(isolation string, private config.Private) uint64 {
	h := uint64(memoryVersion)
	add := func(texts ...string) {
		for _, text := range texts {
			h = mixed(h ^ textSum(text))
		}
		h = mixed(h + uint64(len(texts)))
	}
	h ^= tableSum(codexHomeRules)
	add(guarded...)
	add(guardedEnds...)
	add(isolation, string(r.account.Meta.State), r.account.Meta.Bootstrap, r.account.Key, r.store.Root, r.store.Home, r.root.SharedHome.Path)
	add(r.root.Former...)
	add(private.CodexHome...)
	add(private.Home...)
	h = mixed(mixed(h^r.root.SharedHome.Device) ^ r.root.SharedHome.Inode) // the same mark, and these, are what Root.Check would find
	return mixed(h ^ r.bootstrapSum())
}

// tableSum changes with the table of rules, which another release of swop may bring.
func tableSum(rows []Rule) (h uint64) {
	for _, row := range rows {
		h = mixed(h ^ textSum(row.Pattern) ^ uint64(row.Class)<<8 ^ row.flags())
	}
	return h
}

// bootstrapSum tells which entries come from the codex home that the account was taken over from.
func (r *reconciler) bootstrapSum() (sum uint64) {
	if r.account.Meta.Bootstrap == "" {
		return 0
	}
	for _, row := range codexHomeRules {
		var st unix.Stat_t
		if row.Bootstrap && unix.Lstat(r.account.Meta.Bootstrap+"/"+row.Pattern, &st) == nil {
			sum = mixed(sum ^ textSum(row.Pattern))
		}
	}
	return sum
}

// keptMark is the mark of the file "kept", which sync --share writes.
func (r *reconciler) keptMark() mark {
	var st unix.Stat_t
	if unix.Lstat(keptFile(r.account), &st) != nil {
		return mark{}
	}
	return markOf(&st)
}

// pairedAsWas reports whether the hard-linked file was not written since: its directory does not tell.
func (r *reconciler) pairedAsWas(paired seen) bool {
	if paired == (seen{}) {
		return true
	}
	for _, row := range codexHomeRules {
		if row.Class != HardLink {
			continue
		}
		var st unix.Stat_t
		if unix.Lstat(r.account.CodexHome()+"/"+row.Pattern, &st) != nil || seenOf(itemOf(&st)) != paired {
			return false
		}
	}
	return true
}

// noteMarks notes what the directories of a view were like when the look at them began.
func (r *reconciler) noteMarks(view string, shared, sandbox mark) {
	if view == "codex" {
		r.marks[sharedCodex], r.marks[sandboxCodex] = shared, sandbox
	} else {
		r.marks[realHome], r.marks[sandboxHome] = shared, sandbox
	}
}

// markSandboxHome is noteMarks for a sandbox home that is not shown anything.
func (r *reconciler) markSandboxHome() {
	var st unix.Stat_t
	err := statDir(r.account.Home(), refuseLink, &st)
	r.marks[sandboxHome] = markOf(&st)
	if err == nil {
		r.marks[sandboxHome].sum, err = listSum(r.account.Home(), refuseLink, nameSum)
	}
	r.steady = r.steady && err == nil
}

// steadyHead returns the head of a stamp after a look. It has marks only where that look found nothing to mend, and nothing that a later
// one must look at again.
func (r *reconciler) steadyHead() head {
	h := head{at: r.nextLook.at, dev: r.nextLook.dev, inputs: r.inputsThen, kept: r.keptThen}
	paired := r.nextLook.view("codex").Paired
	if !r.steady || len(paired) > 1 {
		return h
	}
	for _, s := range paired {
		h.paired = s
	}
	h.marks, h.watches = r.marks, r.watches
	for i := range h.marks {
		if m := &h.marks[i]; !m.settled(h.at) {
			m.ctime, m.mtime = unix.Timespec{}, unix.Timespec{} // the next start lists it again
		}
	}
	return h
}
