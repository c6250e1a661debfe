package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"swop/account"
	"swop/confine/mountns"
	"swop/confine/records"
	"swop/confine/sharedlogin"
	"swop/disk"
	"swop/home/history"
	"swop/home/rules"
	"swop/say"
)

// What a session leaves is told by its directory alone, so that one whose supervisor was killed loses nothing.

// CatchUp brings back what the account's confined sessions have recorded so far, also those that run, and ends those that were killed.
func CatchUp(r Request) error {
	if len(r.jails()) == 0 {
		return nil
	}
	others, err := withoutOthers(r.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	failed := []error{r.settleDead()}
	for _, dir := range r.jails() {
		_, err := r.takeTranscripts(dir, records.Running)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (r *Request) confined() string { return filepath.Join(r.Account.Dir, "confined") }

// own is the directory of what the account's confined sessions have together.
func (r *Request) own() string { return filepath.Join(r.confined(), "own") }

// jails returns the directories of the account's sessions.
func (r *Request) jails() (dirs []string) {
	list, _ := os.ReadDir(r.confined()) // none can be read only where none can be made
	for _, entry := range list {
		if strings.HasPrefix(entry.Name(), "jail-") {
			dirs = append(dirs, filepath.Join(r.confined(), entry.Name()))
		}
	}
	return dirs
}

// settleDead ends the sessions whose supervisor was killed, and all that ran in them with it. A login that was refreshed a moment before is brought
// back: the newer one counts.
func (r *Request) settleDead() (err error) {
	for _, dir := range r.jails() {
		l, lockErr := account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC)
		if errors.Is(lockErr, account.ErrInUse) {
			continue
		}
		if !exists(filepath.Join(dir, replacedLogin)) {
			err = errors.Join(err, sharedlogin.Rescue(r.CodexHome(), filepath.Join(dir, "view")))
		}
		err = errors.Join(err, r.settle(dir))
		l.Release()
	}
	return err
}

// settle brings back what a session that has ended may leave: transcripts, for all sessions, and what is the account's confined sessions' own. Nothing of
// its configuration decides anything outside: a changed one is kept in the history. Then the session's directory is removed; where something failed
// it stays, for the next time.
func (r *Request) settle(dir string) error {
	begun := filepath.Join(dir, "runtime", insideFile)
	if exists(begun) {
		refused, err := r.takeTranscripts(dir, records.Ended)
		err = errors.Join(err, r.keepRefused(dir, refused), r.takeOwn(dir), r.keepChanged(dir))
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
	return records.Back(upperDir(dir), r.place(transcripts), state)
}

// copyRecent gives the session the newest transcripts, where it cannot be shown all.
func (j *Jail) copyRecent() error {
	return records.Recent(j.request.place(transcripts), upperDir(j.dir))
}

// keepRefused keeps the transcripts that were not taken in the account's directory, and tells the user.
func (r *Request) keepRefused(dir string, refused []records.Refusal) (err error) {
	kept := filepath.Join(r.confined(), "refused", filepath.Base(dir))
	if os.Remove(upperDir(dir)) != nil && exists(upperDir(dir)) {
		err = errors.Join(disk.MakeDirs(filepath.Dir(kept)), os.Rename(upperDir(dir), kept))
	}
	if len(refused) == 0 {
		return err
	}
	text := fmt.Sprintf("refused %s of the confined session: %s", say.Name(filepath.Join(transcripts, refused[0].Path)), refused[0].Reason)
	if len(refused) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(refused)-1)
	}
	if exists(kept) {
		text += "; kept in " + say.ShellQuote(kept)
	}
	r.Tell(text)
	return err
}

// takeOwn takes the files that codex made or replaced in the view, and that are the confined sessions' own; and removes what it removed.
func (r *Request) takeOwn(dir string) (failed error) {
	for _, row := range rules.Confinable(rules.Own) {
		at, own := filepath.Join(dir, "view", row.Pattern), filepath.Join(r.own(), row.Pattern)
		here, err := disk.Lstat(at)
		switch {
		case err != nil:
		case here.IsRegular():
			err = os.Rename(at, own) // a second name of the same file goes with the view
		case !here.Exists() && row.Class == rules.HardLink:
			err = disk.Ignore(os.Remove(own), fs.ErrNotExist)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// readConfigs returns the configuration files in a directory, by name.
func readConfigs(dir string) (map[string]string, error) {
	list, err := names(dir)
	texts := map[string]string{}
	for _, name := range list {
		if name != "config.toml" && !strings.HasSuffix(name, ".config.toml") {
			continue
		}
		if text, err := disk.ReadFile(filepath.Join(dir, name), unix.O_NOFOLLOW, account.MaxCodexConfig); err == nil {
			texts[name] = text
		}
	}
	return texts, err
}

// noteConfigs puts the configuration files of a session that is about to start into its directory, too.
func noteConfigs(dir string) error {
	texts, err := readConfigs(filepath.Join(dir, "view"))
	for name, text := range texts {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return err
}

// keepChanged keeps the configuration files that the session changed.
func (r *Request) keepChanged(dir string) error {
	was, err := readConfigs(dir)
	now, viewErr := readConfigs(filepath.Join(dir, "view"))
	failed := []error{err, viewErr}
	for name, text := range now {
		if text == was[name] || name == "config.toml" && sameConfig(was[name], text) {
			continue
		}
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
	scratch, err := disk.Open(dir, disk.NoFollow)
	if err != nil {
		return err
	}
	defer scratch.Close()
	about := history.About{View: history.CodexView, Path: name, Account: r.Key, Time: r.Now(), Why: history.Confined}
	_, err = history.Add(account.Layout{Places: r.Places}, scratch, about, text)
	return err
}

// sameConfig reports whether two configurations differ in nothing but what codex notes for itself: which directories are trusted, which notices
// were seen, and how its screen looks.
func sameConfig(a, b string) bool {
	one, other := tables(a), tables(b)
	for _, noted := range []string{"projects", "notice", "tui"} {
		delete(one, noted)
		delete(other, noted)
	}
	return one != nil && other != nil && fmt.Sprint(one) == fmt.Sprint(other)
}

// tables returns what a TOML text holds, nil if it does not parse.
func tables(text string) map[string]any {
	tree := map[string]any{}
	if len(text) > account.MaxCodexConfig || strings.Count(text, "[") > 1<<12 {
		return nil
	}
	if _, err := toml.Decode(text, &tree); err != nil {
		return nil
	}
	return tree
}
