package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
	"swop/home/history"
	"swop/home/rules"
	"swop/say"
)

// readConfigs returns the configuration files of a view, by name.
func readConfigs(view string) (map[string]string, error) {
	list, err := names(view)
	texts := map[string]string{}
	for _, name := range list {
		if name != "config.toml" && !strings.HasSuffix(name, ".config.toml") {
			continue
		}
		text, readErr := disk.ReadFile(filepath.Join(view, name), unix.O_NOFOLLOW|unix.O_NONBLOCK, account.MaxCodexConfig)
		if readErr == nil {
			texts[name] = text
		}
	}
	return texts, err
}

// bringBack gives the host's codex homes the files that codex makes once. Nothing of the session's configuration decides anything outside: a
// changed one is kept in the history, and whether the workspace is trusted holds in confined sessions of the account alone.
func (j *Jail) bringBack() error {
	now, err := readConfigs(j.scene.View.Dir)
	failed := []error{j.shareNew(), err, j.keepTrust(now["config.toml"])}
	for name, text := range now {
		was := j.configWas[name]
		if text == was || name == "config.toml" && sameConfig(was, text) {
			continue
		}
		err := j.keep(name, text)
		failed = append(failed, err)
		if err == nil {
			file := filepath.Join(j.request.Root.SharedHome.Path, name)
			j.request.Tell(fmt.Sprintf("the confined session changed codex's %s; its version was kept: codex swop history %s", name, say.ShellQuote(file)))
		}
	}
	return errors.Join(failed...)
}

// shareNew moves files that codex makes once to where the account's sessions find them, unless one is there.
func (j *Jail) shareNew() error {
	_, private := j.request.Settings.For(j.request.Key)
	table := rules.CodexHomeRules(private.CodexHome, j.request.Meta.State)
	var failed []error
	for _, name := range rules.Confinable(rules.LinkAhead, rules.Writable) {
		if slices.ContainsFunc(j.scene.View.Entries, func(e Entry) bool { return e.Name == name }) {
			continue
		}
		to := j.request.Root.SharedHome.Path
		if table.Class(name) == rules.Private {
			to = j.request.CodexHome()
		}
		var st syscall.Stat_t
		text, err := disk.ReadFileStat(filepath.Join(j.scene.View.Dir, name), unix.O_NOFOLLOW|unix.O_NONBLOCK, maxCopy, &st)
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue // codex made none
		}
		failed = append(failed, disk.Ignore(disk.CreateFile(filepath.Join(to, name), []byte(text)), fs.ErrExist))
	}
	return errors.Join(failed...)
}

// keep keeps a version of a configuration file.
func (j *Jail) keep(name, text string) error {
	scratch, err := disk.Open(j.dir, disk.NoFollow)
	if err != nil {
		return err
	}
	defer scratch.Close()
	about := history.About{View: history.CodexView, Path: name, Account: j.request.Key, Time: j.request.Now(), Why: history.Confined}
	_, err = history.Add(account.Layout{Places: j.request.Places}, scratch, about, text)
	return err
}

// sameConfig reports whether two configurations differ in nothing but what codex notes for itself: which directories are trusted, which notices
// were seen, and how its screen looks.
func sameConfig(a, b string) bool {
	one, other := tables(a), tables(b)
	if one == nil || other == nil {
		return false
	}
	for _, noted := range []string{"projects", "notice", "tui"} {
		delete(one, noted)
		delete(other, noted)
	}
	return fmt.Sprint(one) == fmt.Sprint(other)
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
