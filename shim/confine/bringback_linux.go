package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/history"
	"swop/manager/stamp"
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

// bringBack gives the host's codex homes what the session may leave there: files that codex makes once, and that the person trusts the
// workspace, and how codex's screen looks. All else that changed in the configuration is kept in the history, for later sessions would obey it.
func (s *Session) bringBack(tell func(string), at time.Time) error {
	failed := []error{s.shareNew()}
	now, err := readConfigs(s.scene.View.Dir)
	failed = append(failed, err)
	for name, text := range now {
		was, known := s.configWas[name]
		if text == was || name != "config.toml" && known && sameConfig(was, text) {
			continue
		}
		if name == "config.toml" {
			taken, err := s.bringTUI(was, text)
			failed = append(failed, s.bringTrust(was, text), err)
			if taken && sameConfig(was, text) {
				continue
			}
		}
		err := s.keep(name, text, at)
		failed = append(failed, err)
		if err == nil {
			file := filepath.Join(s.request.Root.SharedHome.Path, name)
			tell(fmt.Sprintf("the confined session changed codex's %s; its version was kept: codex swop history %s", name, say.ShellQuote(file)))
		}
	}
	return errors.Join(failed...)
}

// shareNew moves files that codex makes once to where the account's sessions find them, unless one is there.
func (s *Session) shareNew() error {
	_, private := s.request.Settings.For(s.request.Key)
	rules := stamp.CodexHomeRules(private.CodexHome, s.request.Meta.State)
	var failed []error
	for _, name := range keepsNew {
		if s.isMounted(name) {
			continue
		}
		to := s.request.Root.SharedHome.Path
		if rules.Class(name) == stamp.Private {
			to = s.request.CodexHome()
		}
		var st syscall.Stat_t
		text, err := disk.ReadFileStat(filepath.Join(s.scene.View.Dir, name), unix.O_NOFOLLOW|unix.O_NONBLOCK, maxCopy, &st)
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue // codex made none
		}
		failed = append(failed, disk.Ignore(writeNew(filepath.Join(to, name), text), fs.ErrExist))
	}
	return errors.Join(failed...)
}

func (s *Session) isMounted(name string) bool {
	for _, e := range s.scene.View.Entries {
		if e.Name == name {
			return true
		}
	}
	return false
}

// writeNew makes a file, and never replaces one. It is linked into its place complete.
func writeNew(file, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".swop-x-")
	if err != nil {
		return err
	}
	_, err = temp.WriteString(text)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Link(temp.Name(), file)
	}
	return errors.Join(err, os.Remove(temp.Name()))
}

// keep keeps a version of a configuration file.
func (s *Session) keep(name, text string, at time.Time) error {
	scratch, err := disk.Open(s.dir, disk.NoFollow)
	if err != nil {
		return err
	}
	defer scratch.Close()
	about := history.About{View: history.CodexView, Path: name, Account: s.request.Key, Time: at, Why: history.Confined}
	_, err = history.Add(account.Layout{Places: s.request.Places}, scratch, about, text)
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

// bringTrust notes in the host's configuration that the person trusts the workspace, or does not, where the session was told so and the host
// does not know yet.
func (s *Session) bringTrust(was, now string) error {
	for _, root := range s.scene.Workspace {
		level := trustIn(now, root.Path)
		if level == "" || trustIn(was, root.Path) != "" {
			continue
		}
		file, err := disk.LinkEnd(s.configFile())
		if err != nil {
			return err
		}
		text, err := disk.ReadFile(file, 0, account.MaxCodexConfig)
		if disk.Ignore(err, fs.ErrNotExist) != nil {
			return err
		}
		if trustIn(text, root.Path) != "" || text != "" && tables(text) == nil {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += fmt.Sprintf("\n[projects.%s]\ntrust_level = %q\n", tomlString(root.Path), level)
		if tables(text) == nil {
			continue // "projects" is written in a way that nothing can be added to
		}
		if err := disk.WriteFile(file, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) configFile() string {
	_, private := s.request.Settings.For(s.request.Key)
	if stamp.CodexHomeRules(private.CodexHome, s.request.Meta.State).Class("config.toml") == stamp.Private {
		return filepath.Join(s.request.CodexHome(), "config.toml")
	}
	return filepath.Join(s.request.Root.SharedHome.Path, "config.toml")
}

// trustIn returns what a configuration says of a directory: trusted or untrusted, "" for nothing.
func trustIn(text, dir string) string {
	projects, _ := tables(text)["projects"].(map[string]any)
	project, _ := projects[dir].(map[string]any)
	level, _ := project["trust_level"].(string)
	if level == "trusted" || level == "untrusted" {
		return level
	}
	return ""
}

// tomlString returns text as a string of TOML, which is JSON's but for DEL.
func tomlString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
