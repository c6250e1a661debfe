package session

import (
	"errors"
	"fmt"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/process"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/say"
	"swop/shim"
)

// Prepare sets ready to the account that the label names, with its lock held and its sandbox complete. It creates the account if it is
// missing.
func (r *Reader) Prepare(i *shim.Invocation, label string, settings *config.Settings, ready *shim.Prepared) (err error) {
	p := preparation{Reader: r, Invocation: *i, settings: *settings, label: label}
	if p.key, err = config.Key(label); err != nil {
		return err
	}
	if err = p.Owned(); err != nil {
		return err
	}
	if p.store, err = store.Open(p.Places); err != nil {
		return err
	}
	if err = p.create(); err != nil {
		return err
	}
	*ready, err = p.try((*account.Lock).Alone)
	if errors.Is(err, account.ErrHoldLost) {
		// The other process brings the account up to date, or removes it: wait, and look again. Entries that wait for an idle account wait
		// on, and the lock is not given up again.
		ready.Lock.Release()
		*ready, err = p.try(func(*account.Lock) (bool, error) { return false, nil })
	}
	switch {
	case err != nil:
		ready.Lock.Release()
	case ready.Policy == "": // nothing in a confined session gets the lock
		ready.Lock.AcrossExec()
	}
	return err
}

// preparation is the state of one [Reader.Prepare].
type preparation struct {
	*Reader
	shim.Invocation
	settings   config.Settings
	store      store.Store
	label, key string
}

// try locks the account and completes its sandbox. alone reports whether no other process is in the account. With an error the lock may be
// held.
func (p *preparation) try(alone func(*account.Lock) (bool, error)) (ready shim.Prepared, err error) {
	ready.Settings = p.settings
	stop := p.waiting(p.store.LockFile(p.key))
	ready.Lock, err = p.store.LockShared(p.key)
	stop()
	if err == nil {
		ready.Account, err = p.store.Account(p.key)
	}
	if errors.Is(err, account.ErrNoAccount) {
		err = p.gone()
	}
	if err != nil {
		return ready, err
	}
	if ready.Policy, err = p.Policy(&p.settings, &ready.Meta); err != nil {
		return ready, err
	}
	if ready.Meta.Unfinished { // of an add that was killed: one that runs has the lock, too
		killed, err := alone(&ready.Lock)
		if err == nil && killed {
			ready.Meta.Unfinished, err = false, p.store.Finish(ready.Account)
		}
		if err != nil {
			return ready, err
		}
	}
	// Read now that the account is locked: while its lock was waited for, the shared home may have been moved.
	if ready.Root, err = store.ReadRoot(p.Places.Root); err != nil {
		return ready, err
	}
	if ready.Meta.LastUsedAt.IsZero() { // later starts set the time of the lock alone
		ready.Meta.LastUsedAt = account.Seconds(p.Now())
		_ = p.store.WriteMeta(&ready.Account) // the time is only shown
	}
	if _, err := login.EndChange(ready.Account); err != nil { // of a codex login that was killed
		return ready, err
	}
	if err := store.FinishConfinement(p.store, ready.Account, p.Say); err != nil { // likewise
		return ready, err
	}
	if wasOpen, err := login.Close(ready.Account); err != nil {
		return ready, err
	} else if wasOpen {
		p.Say(fmt.Sprintf("%s was open to other users; it is closed again", ready.AuthFile()))
	}
	if changed, _ := login.NoteOwner(ready.Account); changed { // where that cannot be noted, the next start says it again
		p.Say(login.Of(ready.Account).ChangedText(ready.Meta.Label))
	}
	homes := p.Homes(p.store, ready.Root, p.settings)
	// Entries of other accounts come first, so that this session sees them. Faults of another account are reported when that one is used,
	// listed or examined; this call goes on.
	_ = homes.SweepPending(p.key)
	idle := func() (bool, error) { return alone(&ready.Lock) }
	if err := homes.Reconcile(ready.Account, home.Options{Idle: idle}); err != nil {
		return ready, err
	}
	p.store.Touch(p.key, p.Now())
	return ready, p.store.MarkPending(p.key)
}

// create makes the account if it is missing. One that goes later, while its lock is waited for, is not made again.
func (p *preparation) create() error {
	if _, err := p.store.Account(p.key); !errors.Is(err, account.ErrNoAccount) {
		return p.store.MakeDirs() // a defect of the account shows when it is locked
	}
	if _, err := p.Policy(&p.settings, &account.Meta{Label: p.label, Key: p.key}); err != nil {
		return err
	}
	quoted := say.ShellQuote(p.label)
	for _, other := range p.store.Elsewhere(p.Env, p.key) {
		err := say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q in %s, but one in %s", p.label, p.store.Root, other.Dir))
		return say.WithHint(say.WithHint(err, other.Line), "for another account of this name: codex swop add "+quoted)
	}
	if p.Found {
		return p.gone()
	}
	if err := p.store.Slip(p.label, p.key); err != nil {
		return say.WithHint(err, "if it is a new one: codex swop add "+quoted)
	}
	if err := p.Create(p.label); err != nil {
		return err
	}
	_, err := p.store.Create(store.New{Label: p.label, State: account.StateShared, SharedHome: p.SharedHome(), Now: p.Now()})
	if err == nil {
		say.Line(p.Stderr, "created account %q; log in with: SWOP_ACCOUNT=%s codex login", p.label, quoted)
	}
	return disk.Ignore(err, account.ErrExists)
}

func (p *preparation) gone() error {
	err := say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q any more: it was renamed or removed", p.label))
	return say.WithHint(err, "codex swop list")
}

// waiting prints which process the call waits for, if it waits long for the lock on file, until arrived is called.
func (r *Reader) waiting(file string) (arrived func()) {
	timer := time.AfterFunc(2*time.Second, func() {
		text := "waiting for another command of swop"
		if holder, ok := process.LockHolder(file); ok {
			text += fmt.Sprintf(": pid %d (%s)", holder.PID, holder.Command)
		}
		r.Say(text)
	})
	return func() { timer.Stop() }
}
