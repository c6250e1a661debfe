package records

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/account/login"
	"swop/disk"
)

// Bounds of what is taken from one session. A hostile one could fill the disk, or keep us busy.
const (
	maxEntries = 4096    // looked at
	maxFile    = 1 << 30 // the size of a transcript
	maxBytes   = 2 << 30 // written
)

// State says whether programs of the session may still write.
type State bool

const (
	Running State = true  // whole lines are taken, and nothing is removed
	Ended   State = false // what was taken is removed
)

// Refusal says why an entry was not taken.
type Refusal struct {
	Path   string // below the directory that was read
	Reason string
}

func (p *pass) take(from, to string) error {
	above, err := disk.Open(filepath.Dir(from), disk.NoFollow)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer above.Close()
	in, err := above.Enter(filepath.Base(from)) // also one that the session closed to us
	if err != nil {
		return disk.Ignore(err, disk.ErrChanged)
	}
	defer in.Close()
	p.to = to
	return p.directory(in, "", dated())
}

// dated are the directories in which codex puts transcripts: year, month and day, with so many digits.
func dated() []int { return []int{4, 2, 2} }

// Session is what transcripts are taken of.
type Session struct {
	Roots []string       // the directories that they may be for
	Maker login.Identity // whose login it began with
}

// Back takes what was said in the transcripts in from, which is a session's, into to. What is refused stays where it is.
// A killed call is completed by the next one: what it has written is a beginning of what there is to write.
func Back(from, to string, s Session, state State) ([]Refusal, error) {
	p := pass{state: state, session: s, entries: maxEntries, bytes: maxBytes}
	err := p.take(from, to)
	return p.refused, errors.Join(err, p.failed)
}

// pass is one call of [Back].
type pass struct {
	state   State
	to      string
	session Session
	entries int   // how many more are looked at
	bytes   int64 // how many more are written
	refused []Refusal
	failed  error // what of the shared directories could not be read or written, the first
}

func (p *pass) refuse(path, format string, args ...any) {
	p.refused = append(p.refused, Refusal{path, fmt.Sprintf(format, args...)})
}

var errEnough = fmt.Errorf("more than %d entries", maxEntries)

// directory takes what is in a directory of the session. levels are those of the directories below it.
func (p *pass) directory(in disk.Dir, path string, levels []int) error {
	var names []string
	err := in.Each(func(name string, _ disk.Entry) error {
		if p.entries--; p.entries < 0 {
			return errEnough
		}
		names = append(names, name)
		return nil
	})
	if errors.Is(err, errEnough) {
		p.refuse(path, "%v", err)
		err = nil
	}
	for _, name := range names {
		at := filepath.Join(path, name)
		switch {
		case len(levels) == 0:
			p.file(in, name, at)
		case !isNumber(name, levels[0]):
			p.refuse(at, "not a name that codex gives to a directory here")
		default:
			p.below(in, name, at, levels[1:])
		}
	}
	return err
}

// below takes what is in the directory called name.
func (p *pass) below(in disk.Dir, name, path string, levels []int) {
	d, err := in.Enter(name)
	if err != nil {
		p.refuse(path, "not a directory")
		return
	}
	defer d.Close()
	if err := p.directory(d, path, levels); err != nil {
		p.refuse(path, "%v", err)
	}
	if p.state == Ended {
		_ = in.Rmdir(name) // what is left in it was refused
	}
}

// file takes one transcript.
func (p *pass) file(in disk.Dir, name, path string) {
	err := p.transcript(in, name, filepath.Dir(path))
	var refused refusal
	if err != nil {
		p.refuse(path, "%v", err)
	}
	if err != nil && !errors.As(err, &refused) {
		p.failed = errors.Join(p.failed, err)
	}
	if p.state == Ended && (err == nil || refused == errRemoved) {
		_ = in.Unlink(name) // one that stays has nothing that is not shared
	}
}

// refusal is why an entry is not taken.
type refusal string

func (r refusal) Error() string { return string(r) }

func (p *pass) transcript(in disk.Dir, name, dir string) error {
	if !isTranscript(name) {
		return refusal("not a name that codex gives to a transcript")
	}
	from, size, err := openRegular(in, name, unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close()
	if size > maxFile {
		return refusal("too large")
	}
	g := growth{pass: p, lines: newLines(from, size)}
	if g.first, err = g.lines.next(); err != nil || size == 0 || p.state == Running && !isWhole(g.first) {
		return err
	}
	var payload object
	g.begin, payload = p.begin(g.first)
	if info, err := os.Lstat(filepath.Join(p.to, dir, name)); err != nil || info.Size() == 0 {
		if err := p.mayBegin(payload, dir, name); err != nil {
			return err
		}
	}
	d, err := openPlace(p.to, dir)
	if err != nil {
		return err
	}
	defer d.Close()
	out, had, err := openRegular(d, name, unix.O_RDWR|unix.O_APPEND|unix.O_CREAT)
	if err != nil {
		return err
	}
	g.shared = newLines(out, had)
	return errors.Join(g.grow(d, out, payload.text("cwd")), out.Close())
}
