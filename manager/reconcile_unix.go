//go:build unix

package manager

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
)

// Quiet says what may be moved in an account. The functions are asked only where it matters; nil means no.
type Quiet struct {
	// Resting reports whether no session of the account runs: then a new entry is no temporary file of a writer.
	Resting func() (bool, error)
	// Silent is asked in addition where databases are moved, and copies are made.
	Silent Silence
	// Thorough looks again at what has not moved since the last look.
	Thorough bool
	// Step is told how many of the entries that are to be mended in a home are, where it takes long; it may be nil.
	Step func(done, among int)
	// Fresh says that another account's reconcile changed the shared home a moment ago: see [reconciler.begin].
	Fresh bool
}

// Silence reports whether no process at all uses the account, its background server included.
type Silence func(Account) (bool, error)

// Reconcile makes the account's sandbox whole: its codex home shows the shared home, its home shows the real one unless the
// account's isolation leaves HOME alone. What the account's programs made or replaced goes where it belongs. In the steady state no
// lock is taken. say gets a line for each version of a file that was set aside.
func (s Store) Reconcile(a Account, root Root, settings config.Settings, quiet Quiet, say func(string)) error {
	_, err := s.reconcile(a, root, settings, quiet, say)
	return err
}

// reconcile is Reconcile. It reports whether there was anything to mend.
func (s Store) reconcile(a Account, root Root, settings config.Settings, quiet Quiet, say func(string)) (changed bool, err error) {
	if err := root.Check(); err != nil {
		return false, err
	}
	r := &reconciler{store: s, root: root, account: a, quietness: quiet, say: say, stamp: openStamp(a)}
	defer r.stamp.close()
	isolation, private := settings.For(a.Key)
	// What was changed a moment ago is to be older than this look: see begin.
	if !quiet.Thorough && !quiet.Fresh && r.unmoved(isolation, private) {
		return false, nil
	}
	if err := r.begin(); err != nil {
		return false, err
	}
	r.recall()
	r.inputsThen, r.keptThen = r.inputs(isolation, private), r.keptMark()
	if r.recorded, err = readKept(a); err != nil {
		return false, err
	}
	if err := r.views(isolation, private); err != nil {
		return false, err
	}
	for _, v := range r.mirrors {
		if err := r.show(v); err != nil {
			return false, err
		}
	}
	return r.changed, r.remember()
}

// recall reads what the last look saw. A look in the future, before a clock was set back, says nothing of what is older than it.
func (r *reconciler) recall() {
	r.steady = true
	r.lastLook = r.stamp.memory()
	if older(r.nextLook.at, r.lastLook.at) {
		r.lastLook.at = unix.Timespec{}
	}
}

// onlyCodexHome reports whether the sandbox home holds nothing but the codex home.
func onlyCodexHome(home string) bool {
	entries, err := os.ReadDir(home)
	return err == nil && len(entries) <= 1
}

// reconciler is one reconcile of one account.
type reconciler struct {
	store     Store
	root      Root
	account   Account
	quietness Quiet
	say       func(string)
	lastLook  *memory
	nextLook  *memory
	recorded  map[string]bool // see kept_unix.go
	newlyKept bool
	mirrors   []view // the codex home first: its path in the sandbox is the longer one
	changed   bool
	stamp     *stampFile     // nil where there is none
	steady    bool           // nothing was found that a later look must look at again
	marks     [maxMarks]mark // see [head]
	watches   int            // how many of them
	// What of the head was read before the look.
	inputsThen uint64
	keptThen   mark
	displaced  string // the name of the directory where this reconcile sets versions aside, "" until it does
	atRest     asked
}

// begin notes when the look begins. Where a reconcile changed the shared home in this very tick of the clock, it waits for the next one:
// what is seen as it is now would count as changed later.
func (r *reconciler) begin() error {
	var st unix.Stat_t
	if err := unix.Stat(r.root.SharedHome.Path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: r.root.SharedHome.Path, Err: err}
	}
	const tick, most = time.Millisecond, 50 // file times have ticks of 1 ms to 10 ms
	for try := 0; ; try++ {
		next, err := began(r.account.Dir)
		if err != nil {
			return err
		}
		r.nextLook = &next
		if !r.quietness.Fresh || try == most || older(itemOf(&st).ctime, next.at) {
			return nil
		}
		time.Sleep(tick)
	}
}

// resting asks once: an account that rests now does so until its caller lets go of the lock.
func (r *reconciler) resting() (bool, error) {
	if r.atRest != unasked || r.quietness.Resting == nil {
		return r.atRest == yes, nil
	}
	rests, err := r.quietness.Resting()
	r.atRest = answer(rests)
	return rests, err
}

func (r *reconciler) silent() (bool, error) {
	rests, err := r.resting()
	if err != nil || !rests || r.quietness.Silent == nil {
		return false, err
	}
	return r.quietness.Silent(r.account)
}

type asked uint8

const (
	unasked asked = iota
	yes
	no
)

func answer(b bool) asked {
	if b {
		return yes
	}
	return no
}

// view is one of the two directories that a sandbox shows.
type view struct {
	name            string
	shared, sandbox string
	former          []string // where shared was before
	bootstrap       string   // the codex home that the account was taken over from, "" for none
	rules           Rules
}

func (r *reconciler) views(isolation string, private config.Private) error {
	a := &r.account
	r.mirrors = []view{{
		name: "codex", shared: r.root.SharedHome.Path, sandbox: a.CodexHome(), former: r.root.Former, bootstrap: a.Meta.Bootstrap,
		rules: CodexHomeRules(private.CodexHome, a.Meta.State),
	}}
	r.watches = maxMarks
	if isolation != config.IsolateHome && onlyCodexHome(a.Home()) {
		r.watches = realHome
		r.markSandboxHome()
		return nil // what an earlier isolation left in the sandbox home is looked after all the same
	}
	home, former, err := r.store.realHome(a)
	if err != nil {
		return err
	}
	r.mirrors = append(r.mirrors, view{
		name: "home", shared: home, sandbox: a.Home(), former: formerOf(former), rules: HomeRules(private.Home, r.store.rootName()),
	})
	return nil
}

// open opens the two directories of a view; done closes them.
func (r *reconciler) open(v view) (p *projection, done func() error, err error) {
	p = &projection{
		view: v.name, rules: v.rules, former: v.former, bootstrap: v.bootstrap, reconciler: r,
		last: r.lastLook.view(v.name), next: r.nextLook.view(v.name),
	}
	if p.shared, err = openFolder(v.shared, followsLink); err != nil {
		return nil, nil, err
	}
	if p.sandbox, err = openBelow(r.account.Dir, v.sandbox); err != nil {
		return nil, nil, errors.Join(err, p.shared.close())
	}
	return p, func() error { return errors.Join(p.shared.close(), p.sandbox.close()) }, nil
}

func (r *reconciler) show(v view) (err error) {
	p, done, err := r.open(v)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	list, err := p.look()
	if err == nil && r.newlyKept {
		err = writeKept(r.account, r.recorded)
		r.newlyKept, r.steady = false, false
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		r.changed = r.changed || !maps.Equal(p.last.Links, p.next.Links) || !maps.Equal(p.last.Paired, p.next.Paired)
		return nil
	}
	r.changed, r.steady = true, false
	return r.underHomeLock(func() error {
		list, err := p.look()
		if err != nil {
			return err
		}
		return p.act(list)
	})
}

// underHomeLock runs f while no other reconcile of the same shared home runs. Who holds it waits for no account's lock.
func (r *reconciler) underHomeLock(f func() error) error {
	var st unix.Stat_t
	if err := unix.Stat(r.root.SharedHome.Path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: r.root.SharedHome.Path, Err: err}
	}
	l, err := lock(r.store.LockFile(fmt.Sprintf(".home-%d-%d", st.Dev, st.Ino)), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT)
	if err != nil {
		return err
	}
	defer l.Release()
	return f()
}

// remember writes down what was seen, or only when.
func (r *reconciler) remember() error {
	h := r.steadyHead()
	if !r.changed && r.stamp != nil {
		r.stamp.head = h
		r.stamp.renew()
		return nil
	}
	body, err := r.nextLook.body()
	if err != nil {
		return err
	}
	return writeStamp(r.account, h, body)
}

// rootName is the name of swop's own root at the top of the real home, "" if it lies deeper or elsewhere.
func (s Store) rootName() string {
	above := filepath.Dir(s.Root)
	if above == s.Home {
		return filepath.Base(s.Root)
	}
	a, err1 := os.Stat(above)
	b, err2 := os.Stat(s.Home)
	if err1 == nil && err2 == nil && os.SameFile(a, b) {
		return filepath.Base(s.Root)
	}
	return ""
}

// formerOf is the list of former homes that home makes: empty where there is none.
func formerOf(home string) []string {
	if home == "" {
		return nil
	}
	return []string{withoutSlash(home)}
}

// realHome returns the home that the account's sandbox shows, and where it was before if it has moved since. An account is not
// shown another home than its own while that still exists.
func (s Store) realHome(a *Account) (home, former string, err error) {
	own := a.Meta.RealHome
	if own == s.Home {
		return own, "", nil
	}
	then, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) || own == "" {
		a.Meta.RealHome = s.Home
		return s.Home, own, s.writeMeta(*a)
	}
	if err != nil {
		return "", "", err
	}
	now, err := os.Stat(s.Home)
	if err != nil {
		return "", "", err
	}
	if !os.SameFile(then, now) {
		err := unsafe("the account %q belongs to the home %s, but HOME is %s", a.Meta.Label, own, s.Home)
		return "", "", config.WithHint(err, fmt.Sprintf("export HOME=%s", ShellQuote(own)))
	}
	return own, "", nil
}
