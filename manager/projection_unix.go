//go:build unix

package manager

import (
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
)

// projection is how the entries of one shared directory appear in one sandbox directory. The same engine serves the codex home
// and the real home; only the rules differ.
//
// It looks, then acts. A look reads both directories and returns what is not as it should be, nothing in the steady state. Then, one
// reconcile at a time per shared home, each finding is judged anew and mended by renames and links, each of which leaves both
// directories valid and is harmless to repeat: killed between two, the next run goes on. Programs do not take our lock: whatever
// they do between two of our calls, no version of a file is dropped that was not replaced by its writer or is not kept.
type projection struct {
	shared, sandbox folder
	rules           Rules
	bootstrap       string          // the codex home that the account was taken over from, "" for none
	former          string          // where the shared directory was before, "" if it never moved
	kept            map[string]bool // what the sandbox has of its own since an earlier table said so
	view            string          // "codex" or "home"
	last, next      *viewMemory
	*reconciler
}

// finding is an entry that is not as it should be.
type finding struct {
	kind findingKind
	name string
}

type findingKind uint8

const (
	lacksShared  findingKind = iota // a known directory that the shared home does not have yet
	leftAside                       // a version that a run that was killed had put aside
	leftInShared                    // the same in the shared directory
	renamedLink                     // a link of ours that a program renamed from another name
	wrongLink                       // a link of ours that must go, or point elsewhere
	lacksLink                       // the sandbox lacks an entry
	lacksCopy                       // the sandbox lacks a copy, or has an old one
	notPaired                       // of a hard-linked file one side is missing, or they differ
	ownVersion                      // the sandbox has an entry of its own where its link should be
)

// target is where the sandbox's link for name points.
func (p *projection) target(name string) string {
	dir := p.source(name)
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name // not filepath.Join, which would change what the kernel opens: /home/../me
}

// class is the class of an entry, where an earlier rule does not keep it the account's own.
func (p *projection) class(name string) Class {
	class := p.rules.Class(name)
	if p.kept[name] && class.linked() {
		return Private
	}
	return class
}

// look returns what is to be mended, in the order in which it is.
func (p *projection) look() ([]finding, error) {
	shared, err := p.shared.entries()
	if err != nil {
		return nil, err
	}
	sandbox, err := p.sandbox.entries()
	if err != nil {
		return nil, err
	}
	p.keep(sandbox)
	p.addBootstrap(shared)
	list := p.ahead(shared)
	for name := range shared {
		f, wrong, err := p.judgeShared(name, sandbox)
		if err != nil {
			return nil, err
		}
		if wrong {
			list = append(list, f)
		}
	}
	for name, mode := range sandbox {
		f, ok, err := p.judgeOwn(name, mode, shared, sandbox)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, f)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].kind < list[j].kind || list[i].kind == list[j].kind && list[i].name < list[j].name
	})
	return list, nil
}

// ahead adds to shared the known names that are not there yet, and returns the directories among them, which must be made.
func (p *projection) ahead(shared map[string]fs.FileMode) []finding {
	var list []finding
	dirs, files := p.rules.ahead()
	for _, name := range dirs {
		if _, ok := shared[name]; !ok && !p.kept[name] {
			list = append(list, finding{lacksShared, name})
			shared[name] = fs.ModeDir
		}
	}
	for _, name := range files {
		if _, ok := shared[name]; !ok && !p.kept[name] {
			shared[name] = 0
		}
	}
	return list
}

// judgeShared finds what the sandbox lacks of an entry that the shared home has, or will have.
func (p *projection) judgeShared(name string, sandbox map[string]fs.FileMode) (f finding, wrong bool, err error) {
	if _, aside := asideOf(name); aside {
		return finding{leftInShared, name}, true, nil
	}
	_, exists := sandbox[name]
	row, _ := p.rules.row(name)
	switch class := p.class(name); {
	case len(row.Copied) > 0:
		fresh, err := p.copied(name, row.Copied)
		return finding{lacksCopy, name}, !fresh, err
	case class == HardLink:
		paired, err := p.paired(name)
		return finding{notPaired, name}, !paired, err
	case class.linked() && !exists:
		return finding{lacksLink, name}, true, nil
	}
	return finding{}, false, nil
}

// judgeOwn finds what is wrong with an entry of the sandbox.
func (p *projection) judgeOwn(name string, mode fs.FileMode, shared, sandbox map[string]fs.FileMode) (f finding, wrong bool, err error) {
	if _, aside := asideOf(name); aside {
		return finding{leftAside, name}, true, nil
	}
	class := p.class(name)
	switch {
	case class == HardLink:
		_, exists := shared[name]
		return finding{notPaired, name}, !exists, nil // where it exists it was judged with the shared one
	case class == Ignored:
		return finding{}, false, nil
	case mode&fs.ModeSymlink != 0:
		return p.judgeLink(name, class, shared, sandbox)
	case !class.linked():
		return finding{}, false, nil
	case !mode.IsDir() && !mode.IsRegular():
		return finding{}, false, nil // a socket, FIFO or device stays where it was made
	}
	return finding{ownVersion, name}, true, nil
}

func (p *projection) judgeLink(name string, class Class, shared, sandbox map[string]fs.FileMode) (f finding, wrong bool, err error) {
	target, err := p.sandbox.readlink(name)
	if err != nil || target == "" {
		return finding{}, false, err
	}
	_, exists := shared[name]
	switch {
	case !p.ours(target):
		return finding{ownVersion, name}, class.linked(), nil
	case !class.linked():
		return finding{wrongLink, name}, true, nil
	case target == p.target(name):
		return finding{wrongLink, name}, !exists && class != LinkAhead, nil
	case p.isTrace(filepath.Base(target), shared, sandbox):
		return finding{renamedLink, name}, true, nil
	}
	return finding{wrongLink, name}, true, nil
}

// isTrace reports whether a link to the shared entry called y, found under another name, is what a program leaves that made y in the
// sandbox as a temporary file and renamed it after it had been adopted: then the sandbox has no y any more.
func (p *projection) isTrace(y string, shared, sandbox map[string]fs.FileMode) bool {
	_, inShared := shared[y]
	_, inSandbox := sandbox[y]
	_, named := p.rules.row(y)
	return inShared && !inSandbox && !named
}

// ours reports whether a link's target is in the shared directory, as only our links and those that codex makes of them are.
func (p *projection) ours(target string) bool {
	at := strings.LastIndexByte(target, '/')
	if at < 0 {
		return false
	}
	dir := withoutSlash(target[:at+1])
	return dir == p.shared.path || p.former != "" && dir == withoutSlash(p.former) || p.bootstrap != "" && dir == withoutSlash(p.bootstrap)
}

// act mends what was found.
func (p *projection) act(list []finding) error {
	for _, f := range list {
		if err := p.mend(f); err != nil {
			return err
		}
	}
	return nil
}

func (p *projection) mend(f finding) error {
	switch f.kind {
	case lacksShared:
		return p.shared.mkdir(f.name)
	case leftAside:
		return p.foldAside(f.name)
	case leftInShared:
		aside, _ := asideOf(f.name)
		return p.displace(p.shared, f.name, aside)
	case renamedLink:
		return p.foldTrace(f.name)
	case wrongLink:
		return p.mendLink(f.name)
	case lacksLink:
		return p.sandbox.symlink(p.target(f.name), f.name)
	case lacksCopy:
		row, _ := p.rules.row(f.name)
		return p.copyFrom(f.name, row.Copied)
	case notPaired:
		return p.pair(f.name)
	case ownVersion:
		return p.foldOwn(f.name)
	}
	return nil
}

// mendLink drops or renews a link of ours that is not as it should be. What is no link of ours any more is left for the next look.
func (p *projection) mendLink(name string) error {
	target, err := p.sandbox.readlink(name)
	if err != nil || target == "" || !p.ours(target) {
		return err
	}
	there, err := p.lookThrough(name)
	if err != nil {
		return err
	}
	if class := p.class(name); !class.linked() || !there.exists() && class != LinkAhead {
		return p.dropLink(name)
	}
	if target == p.target(name) {
		return nil
	}
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return err
	}
	return p.foldAside(old)
}

// dropLink removes a link of ours. A program that replaces it meanwhile does not lose its file: what is removed is looked at first,
// under a name that no program knows.
func (p *projection) dropLink(name string) error {
	tmp := asideName(name)
	if err := p.sandbox.move(name, p.sandbox, tmp); err != nil {
		return p.sandbox.fail("rename", name, err)
	}
	target, err := p.sandbox.readlink(tmp)
	if err != nil {
		return err
	}
	if p.ours(target) {
		return p.sandbox.unlink(tmp)
	}
	return p.sandbox.fail("rename", name, p.sandbox.move(tmp, p.sandbox, name))
}
