package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/login"
	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/confine/records"
	"swop/confine/sessionconfig"
	"swop/confine/sharedlogin"
	"swop/confine/view"
	"swop/disk"
	"swop/internal/home"
	"swop/say"
)

// What a session leaves is told by its directory alone, so that one whose supervisor was killed loses nothing.

// CatchUp brings back what the account's confined sessions have recorded so far, also those that run, and ends those that were killed.
func CatchUp(r Request) error {
	if len(desk.JailsOf(r.Account.Dir)) == 0 {
		return nil
	}
	others, err := withoutOthers(r.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	failed := []error{r.settleDead()}
	for _, dir := range desk.JailsOf(r.Account.Dir) {
		_, err := r.takeTranscripts(dir, records.Running)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (r *Request) confined() string { return filepath.Join(r.Account.Dir, "confined") }

// own is the directory of what the account's confined sessions have together.
func (r *Request) own() string { return filepath.Join(r.confined(), "own") }

// refused is the directory of what no session may have, as it was found.
const refused = "refused"

func (r *Request) links() string { return filepath.Join(r.confined(), "links") }

func (r *Request) homes() view.Homes {
	return view.Homes{Account: r.Account, SharedHome: r.Root.SharedHome.Path, Settings: r.Settings}
}

// trust has the answers to whether a workspace is trusted.
func (r *Request) trust() sessionconfig.Trust {
	return sessionconfig.Trust(filepath.Join(r.confined(), "trust.toml"))
}

// settleDead ends the sessions whose supervisor was killed, and all that ran in them with it. A login that was refreshed a moment before is brought
// back: the newer one counts. Of other accounts' sessions, only what they left in what they could write is looked at.
func (r *Request) settleDead() (err error) {
	for _, dir := range desk.JailDirs(r.Places.Root) {
		l, lockErr := account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC)
		if errors.Is(lockErr, account.ErrInUse) {
			continue
		}
		if filepath.Dir(dir) != r.confined() {
			err = errors.Join(err, r.putAside(dir), r.passOn(dir), disk.Ignore(os.Truncate(filepath.Join(dir, writtenFile), 0), fs.ErrNotExist))
			l.Release()
			continue
		}
		err = errors.Join(err, openUp(filepath.Join(dir, "view")))
		if !disk.At(filepath.Join(dir, replacedLogin)).Exists() {
			err = errors.Join(err, sharedlogin.Rescue(r.CodexHome(), filepath.Join(dir, "view")))
		}
		err = errors.Join(err, r.putAside(dir), r.settle(dir))
		l.Release()
	}
	return err
}

// settle brings back what a session that has ended may leave: transcripts, for all sessions, and what is the account's confined sessions' own. Nothing of
// its configuration decides anything outside: a changed one is kept in the history. Then the session's directory is removed; where something failed
// it stays, for the next time.
func (r *Request) settle(dir string) error {
	if err := r.passOn(dir); err != nil {
		return err
	}
	begun := filepath.Join(dir, "runtime", insideFile)
	if disk.At(begun).Exists() {
		rejected, err := r.takeTranscripts(dir, records.Ended)
		err = errors.Join(err, r.repairOwn(), r.keepRefused(dir, rejected), view.TakeOwn(filepath.Join(dir, "view"), r.own()), r.keepChanged(dir))
		if err == nil {
			err = os.Remove(begun)
		}
		if err != nil {
			return err
		}
	}
	return removeJail(dir)
}

// transcripts is the entry in which codex records sessions.
const transcripts = "sessions"

// upperDir returns where what the session recorded lies.
func upperDir(dir string) string { return filepath.Join(dir, mountns.UpperDir) }

// takeTranscripts takes what the session recorded to where the account's sessions find it.
func (r *Request) takeTranscripts(dir string, state records.State) ([]records.Refusal, error) {
	of := records.Session{Roots: linesOf(filepath.Join(dir, rootsFile)), Maker: login.IdentityOf(r.Account)}
	return records.Back(upperDir(dir), r.homes().Place(transcripts), of, state)
}

// copyRecent gives the session the newest transcripts, where it cannot be shown all.
func (j *Jail) copyRecent() error {
	return records.Recent(j.request.homes().Place(transcripts), upperDir(j.dir))
}

// keepRefused keeps the transcripts that were not taken in the account's directory, and tells the user.
func (r *Request) keepRefused(dir string, list []records.Refusal) (err error) {
	kept := filepath.Join(r.confined(), refused, filepath.Base(dir))
	if os.Remove(upperDir(dir)) != nil && disk.At(upperDir(dir)).Exists() {
		err = errors.Join(disk.MakeDirs(filepath.Dir(kept)), os.Rename(upperDir(dir), kept))
	}
	if len(list) == 0 {
		return err
	}
	text := fmt.Sprintf("refused %s of the confined session: %s", say.Name(filepath.Join(transcripts, list[0].Path)), list[0].Reason)
	if len(list) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(list)-1)
	}
	if disk.At(kept).Exists() {
		text += "; kept in " + say.ShellQuote(kept)
	}
	r.Tell(text)
	return err
}

// keepChanged keeps the configuration files that the session changed.
func (r *Request) keepChanged(dir string) error {
	changed, err := sessionconfig.Changed(dir, filepath.Join(dir, "view"))
	if err != nil {
		return err
	}
	var failed []error
	for name, text := range changed {
		err := r.keep(dir, name, text)
		failed = append(failed, err)
		if err == nil {
			file := filepath.Join(r.Root.SharedHome.Path, name)
			r.Tell(fmt.Sprintf("the confined session changed codex's %s; its version was kept: codex swop history %s", name, say.ShellQuote(file)))
		}
	}
	return errors.Join(failed...)
}

// keep keeps a version of a configuration file in the history.
func (r *Request) keep(dir, name, text string) error {
	return home.Keep(account.Layout{Places: r.Places}, r.Key, name, text, dir, r.Now())
}
