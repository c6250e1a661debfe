//go:build unix

package projection

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
	"swop/manager/store"
	"swop/say"
)

// Options says what may be moved in an account. The functions are asked only where it matters; nil means no.
type Options struct {
	// Idle reports whether no session of the account runs: then a new entry is no temporary file of a writer.
	Idle func() (bool, error)
	// NoProcesses is asked in addition where databases are moved, and copies are made.
	NoProcesses ProcessCheck
	// Thorough looks again at what has not moved since the last look.
	Thorough bool
	// Progress is told how many of the entries that are to be mended in a home are, where it takes long; it may be nil.
	Progress func(done, among int)
	// Fresh says that another account's reconcile changed the shared home a moment ago: see [reconciler.begin].
	Fresh bool
}

// ProcessCheck reports whether no process at all uses the account, its background server included.
type ProcessCheck func(account.Account) (bool, error)

// Reconcile makes the account's sandbox whole: its codex home shows the shared home, its home shows the real one unless the
// account's isolation leaves HOME alone. What the account's programs made or replaced goes where it belongs. In the steady state no
// lock is taken. say gets a line for each version of a file that was set aside.
func Reconcile(s store.Store, a account.Account, root account.Root, settings config.Settings, options Options, say func(string)) error {
	_, err := reconcile(s, a, root, settings, options, say)
	return err
}

// reconcile is Reconcile. It reports whether there was anything to mend.
func reconcile(s store.Store, a account.Account, root account.Root, settings config.Settings, options Options, say func(string)) (changed bool, err error) {
	if err := root.Check(); err != nil {
		return false, err
	}
	r := &reconciler{Subject: stamp.Subject{Layout: s.Layout, Root: root, Account: a, Stamp: stamp.OpenStamp(a)}, options: options, say: say}
	defer r.Stamp.Close()
	isolation, private := settings.For(a.Key)
	// What was changed a moment ago is to be older than this look: see begin.
	if !options.Thorough && !options.Fresh && r.Unchanged(isolation, private) {
		return false, nil
	}
	if err := r.begin(); err != nil {
		return false, err
	}
	r.loadBaseline()
	r.inputsBefore, r.pinnedBefore = r.Inputs(isolation, private), r.PinnedFile()
	if r.recorded, err = readPinned(a); err != nil {
		return false, err
	}
	if err := r.setViews(isolation, private); err != nil {
		return false, err
	}
	for _, v := range r.views {
		if err := r.reconcileView(v); err != nil {
			return false, err
		}
	}
	return r.changed, r.writeStamp()
}

// loadBaseline reads what the last look saw. A look in the future, before a clock was set back, says nothing of what is older than it.
func (r *reconciler) loadBaseline() {
	r.fastPath = true
	r.last = baselineOf(r.Stamp)
	if disk.Older(r.next.at, r.last.at) {
		r.last.at = unix.Timespec{}
	}
}

// onlyCodexHome reports whether the sandbox home holds nothing but the codex home.
func onlyCodexHome(home string) bool {
	entries, err := os.ReadDir(home)
	return err == nil && len(entries) <= 1
}

// reconciler is one reconcile of one account.
type reconciler struct {
	stamp.Subject
	options     Options
	say         func(string)
	last        *baseline
	next        *baseline
	recorded    map[string]bool // see kept_unix.go
	pinsChanged bool
	views       []view // the codex home first: its path in the sandbox is the longer one
	changed     bool
	fastPath    bool                             // nothing was found that a later look must look at again
	marks       [stamp.MaxDirs]stamp.Fingerprint // see [head]
	watches     int                              // how many of them
	// What of the head was read before the look.
	inputsBefore uint64
	pinnedBefore stamp.Fingerprint
	displaced    string // the name of the directory where this reconcile sets versions aside, "" until it does
	idleAnswer   asked
}

// begin notes when the look begins. Where a reconcile changed the shared home in this very tick of the clock, it waits for the next one:
// what is seen as it is now would count as changed later.
func (r *reconciler) begin() error {
	var st unix.Stat_t
	if err := unix.Stat(r.Root.SharedHome.Path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: r.Root.SharedHome.Path, Err: err}
	}
	const tick, most = time.Millisecond, 50 // file times have ticks of 1 ms to 10 ms
	for try := 0; ; try++ {
		next, err := newBaseline(r.Account.Dir)
		if err != nil {
			return err
		}
		r.next = &next
		if !r.options.Fresh || try == most || disk.Older(disk.StatOf(&st).Ctime, next.at) {
			return nil
		}
		time.Sleep(tick)
	}
}

// idle asks once: an account that rests now does so until its caller lets go of the lock.
func (r *reconciler) idle() (bool, error) {
	if r.idleAnswer != unasked || r.options.Idle == nil {
		return r.idleAnswer == yes, nil
	}
	idle, err := r.options.Idle()
	r.idleAnswer = answer(idle)
	return idle, err
}

func (r *reconciler) noProcesses() (bool, error) {
	idle, err := r.idle()
	if err != nil || !idle || r.options.NoProcesses == nil {
		return false, err
	}
	return r.options.NoProcesses(r.Account)
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
	rules           stamp.Rules
}

func (r *reconciler) setViews(isolation string, private config.Private) error {
	a := &r.Account
	r.views = []view{{
		name: "codex", shared: r.Root.SharedHome.Path, sandbox: a.CodexHome(), former: r.Root.Former, bootstrap: a.Meta.Bootstrap,
		rules: stamp.CodexHomeRules(private.CodexHome, a.Meta.State),
	}}
	r.watches = stamp.MaxDirs
	if isolation != config.IsolateHome && onlyCodexHome(a.Home()) {
		r.watches = stamp.RealHome
		r.markSandboxHome()
		return nil // what an earlier isolation left in the sandbox home is looked after all the same
	}
	home, former, err := realHome(store.Store{Layout: r.Layout}, a)
	if err != nil {
		return err
	}
	r.views = append(r.views, view{
		name: "home", shared: home, sandbox: a.Home(), former: formerOf(former), rules: stamp.HomeRules(private.Home, stamp.RootName(r.Layout)),
	})
	return nil
}

// open opens the two directories of a view; done closes them.
func (r *reconciler) open(v view) (p *projection, done func() error, err error) {
	p = &projection{
		view: v.name, rules: v.rules, former: v.former, bootstrap: v.bootstrap, reconciler: r,
		was: r.last.view(v.name), now: r.next.view(v.name),
	}
	if p.shared, err = disk.Open(v.shared, disk.Follow); err != nil {
		return nil, nil, err
	}
	if p.sandbox, err = disk.OpenBelow(r.Account.Dir, v.sandbox); err != nil {
		return nil, nil, errors.Join(err, p.shared.Close())
	}
	return p, func() error { return errors.Join(p.shared.Close(), p.sandbox.Close()) }, nil
}

func (r *reconciler) reconcileView(v view) (err error) {
	p, done, err := r.open(v)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	list, err := p.scan()
	if err == nil && r.pinsChanged {
		err = writePinned(r.Account, r.recorded)
		r.pinsChanged, r.fastPath = false, false
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		r.changed = r.changed || !maps.Equal(p.was.Links, p.now.Links) || !maps.Equal(p.was.Paired, p.now.Paired)
		return nil
	}
	r.changed, r.fastPath = true, false
	return r.underHomeLock(func() error {
		list, err := p.scan()
		if err != nil {
			return err
		}
		return p.act(list)
	})
}

// underHomeLock runs f while no other reconcile of the same shared home runs. Who holds it waits for no account's lock.
func (r *reconciler) underHomeLock(f func() error) error {
	var st unix.Stat_t
	if err := unix.Stat(r.Root.SharedHome.Path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: r.Root.SharedHome.Path, Err: err}
	}
	l, err := account.Flock(r.Layout.LockFile(fmt.Sprintf(".home-%d-%d", st.Dev, st.Ino)), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT)
	if err != nil {
		return err
	}
	defer l.Release()
	return f()
}

// writeStamp writes down what was seen, or only when.
func (r *reconciler) writeStamp() error {
	h := r.headerAfterScan()
	if !r.changed && r.Stamp != nil {
		r.Stamp.Header = h
		r.Stamp.Renew()
		return nil
	}
	body, err := r.next.body()
	if err != nil {
		return err
	}
	return stamp.WriteStamp(r.Account, h, body)
}

// formerOf is the list of former homes that home makes: empty where there is none.
func formerOf(home string) []string {
	if home == "" {
		return nil
	}
	return []string{disk.WithoutSlash(home)}
}

// realHome returns the home that the account's sandbox shows, and where it was before if it has moved since. An account is not
// shown another home than its own while that still exists.
func realHome(s store.Store, a *account.Account) (home, former string, err error) {
	own := a.Meta.RealHome
	if own == s.Home {
		return own, "", nil
	}
	then, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) || own == "" {
		a.Meta.RealHome = s.Home
		return s.Home, own, s.WriteMeta(*a)
	}
	if err != nil {
		return "", "", err
	}
	now, err := os.Stat(s.Home)
	if err != nil {
		return "", "", err
	}
	if !os.SameFile(then, now) {
		err := disk.Unsafe("the account %q belongs to the home %s, but HOME is %s", a.Meta.Label, own, s.Home)
		return "", "", say.WithHint(err, fmt.Sprintf("export HOME=%s", say.ShellQuote(own)))
	}
	return own, "", nil
}

// noteMarks notes what the directories of a view were like when the look at them began.
func (r *reconciler) noteMarks(view string, shared, sandbox stamp.Fingerprint) {
	if view == "codex" {
		r.marks[stamp.SharedCodex], r.marks[stamp.SandboxCodex] = shared, sandbox
	} else {
		r.marks[stamp.RealHome], r.marks[stamp.SandboxHome] = shared, sandbox
	}
}

// markSandboxHome is noteMarks for a sandbox home that is not shown anything.
func (r *reconciler) markSandboxHome() {
	var st unix.Stat_t
	err := stamp.StatDir(r.Account.Home(), disk.NoFollow, &st)
	r.marks[stamp.SandboxHome] = stamp.FingerprintOf(&st)
	if err == nil {
		r.marks[stamp.SandboxHome].Sum, err = stamp.ListSum(r.Account.Home(), disk.NoFollow, stamp.NameSum)
	}
	r.fastPath = r.fastPath && err == nil
}

// headerAfterScan returns the head of a stamp after a look. It has marks only where that look found nothing to mend, and nothing that a later
// one must look at again.
func (r *reconciler) headerAfterScan() stamp.Header {
	h := stamp.Header{At: r.next.at, Dev: r.next.dev, Inputs: r.inputsBefore, Pinned: r.pinnedBefore}
	paired := r.next.view("codex").Paired
	if !r.fastPath || len(paired) > 1 {
		return h
	}
	for _, s := range paired {
		h.Paired = s
	}
	h.Dirs, h.Watched = r.marks, r.watches
	for i := range h.Dirs {
		if m := &h.Dirs[i]; !m.Settled(h.At) {
			m.Ctime, m.Mtime = unix.Timespec{}, unix.Timespec{} // the next start lists it again
		}
	}
	return h
}
