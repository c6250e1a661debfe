//go:build unix

package manager

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/sys/unix"
)

// projection is how the entries of one shared directory appear in one sandbox directory. The same engine serves the codex home
// and the real home; only the rules differ.
//
// It looks, then acts: a look reads both directories and returns the steps that make the sandbox whole, none in the steady state.
// Every step is one rename, link or unlink that leaves both directories valid and is harmless to repeat: killed between two, the
// next run goes on; run by many at once, each accepts what an equal run did.
type projection struct {
	shared, sandbox folder
	rules           Rules
	former          string // where the shared directory was before, "" if it never moved
}

// step is one change of a directory.
type step struct {
	kind stepKind
	name string
}

type stepKind uint8

const (
	makeShared stepKind = iota // make the directory in the shared home
	addLink                    // the sandbox has no such entry: link it
	renewLink                  // the sandbox has a link of ours that points elsewhere
	dropLink                   // the sandbox has a link of ours that must not be there
	addName                    // the sandbox has no such entry: give the shared inode a second name
)

// temporaryPrefix begins the names of links that are about to be renamed into place; a run that was killed leaves one behind.
const temporaryPrefix = ".swop-link-"

func temporaryName() string { return temporaryPrefix + rand.Text() }

// target is where the sandbox's link for name points.
func (p projection) target(name string) string { return filepath.Join(p.shared.path, name) }

// look returns the steps that are to be done.
func (p projection) look() ([]step, error) {
	shared, err := p.shared.entries()
	if err != nil {
		return nil, err
	}
	sandbox, err := p.sandbox.entries()
	if err != nil {
		return nil, err
	}
	steps := p.ahead(shared)
	for name := range shared {
		more, err := p.forShared(name, sandbox)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	for name, mode := range sandbox {
		more, err := p.forSandbox(name, mode, shared)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	sort.SliceStable(steps, func(i, j int) bool { return steps[i].kind < steps[j].kind })
	return steps, nil
}

// ahead adds to shared the known names that are not there yet, and returns the steps that make the directories among them.
func (p projection) ahead(shared map[string]fs.FileMode) []step {
	var steps []step
	dirs, files := p.rules.ahead()
	for _, name := range dirs {
		if _, ok := shared[name]; !ok {
			steps = append(steps, step{makeShared, name})
			shared[name] = fs.ModeDir
		}
	}
	for _, name := range files {
		if _, ok := shared[name]; !ok {
			shared[name] = 0
		}
	}
	return steps
}

// forShared returns what the sandbox lacks of an entry that the shared home has, or will have.
func (p projection) forShared(name string, sandbox map[string]fs.FileMode) ([]step, error) {
	class := p.rules.Class(name)
	mode, exists := sandbox[name]
	switch {
	case class == HardLink && !exists:
		return []step{{addName, name}}, nil
	case !class.linked():
		return nil, nil
	case !exists:
		return []step{{addLink, name}}, nil
	case mode&fs.ModeSymlink == 0:
		return nil, nil
	}
	target, err := p.sandbox.readlink(name)
	if err != nil || target == p.target(name) || !p.ours(target) {
		return nil, err
	}
	return []step{{renewLink, name}}, nil
}

// forSandbox returns what must go from the sandbox: links of ours at names that are private now, or whose shared entry is gone.
func (p projection) forSandbox(name string, mode fs.FileMode, shared map[string]fs.FileMode) ([]step, error) {
	if mode&fs.ModeSymlink == 0 {
		return nil, nil
	}
	if strings.HasPrefix(name, temporaryPrefix) {
		return []step{{dropLink, name}}, nil
	}
	_, exists := shared[name]
	class := p.rules.Class(name)
	if class.linked() && (exists || p.keptDangling(name)) {
		return nil, nil
	}
	target, err := p.sandbox.readlink(name)
	if err != nil || !p.ours(target) {
		return nil, err
	}
	return []step{{dropLink, name}}, nil
}

// keptDangling reports whether codex may yet create the shared file through its link: databases, and profiles of configuration.
func (p projection) keptDangling(name string) bool {
	return p.rules.guard && (matches("*.sqlite", name) || matches("*.config.toml", name))
}

// ours reports whether a link's target is in the shared home, as only our links and those that codex makes for itself are.
func (p projection) ours(target string) bool {
	dir := filepath.Dir(target)
	return dir == p.shared.path || dir == p.former
}

// act does the steps. A step whose ground has changed since the look does nothing.
func (p projection) act(steps []step) error {
	for _, s := range steps {
		if err := p.do(s); err != nil {
			return err
		}
	}
	return nil
}

func (p projection) do(s step) error {
	switch s.kind {
	case makeShared:
		return p.shared.mkdir(s.name)
	case addLink:
		return p.sandbox.symlink(p.target(s.name), s.name)
	case renewLink:
		return p.sandbox.relink(p.target(s.name), s.name)
	case dropLink:
		return p.sandbox.unlink(s.name)
	}
	err := p.sandbox.hardlink(p.shared, s.name)
	if errors.Is(err, unix.EXDEV) {
		return nil // private where the file systems differ
	}
	return err
}
