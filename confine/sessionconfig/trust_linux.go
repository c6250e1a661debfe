package sessionconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
)

// Trust is a file with the answers of confined sessions to codex's question whether a directory is trusted, in the form of codex's configuration. They
// hold in the account's next confined sessions in the same workspace. Nothing else reads the file.
type Trust string

// project is what codex's configuration says of a directory: trusted or untrusted, "" for nothing.
type project struct {
	Trust string `toml:"trust_level"`
}

type projects struct {
	Projects map[string]project `toml:"projects"`
}

// projectsIn returns what a configuration says of directories. One that cannot be read says nothing.
func projectsIn(text string) map[string]project {
	if tables(text) == nil {
		return nil
	}
	var p projects
	_, _ = toml.Decode(text, &p) // what cannot be decoded has another form than codex's
	return p.Projects
}

func (t Trust) read() (map[string]project, error) {
	text, err := disk.ReadFile(string(t), unix.O_NOFOLLOW, account.MaxCodexConfig)
	return projectsIn(text), disk.Ignore(err, fs.ErrNotExist)
}

// Tell adds the answers for these directories to the configuration in view.
func (t Trust) Tell(view string, dirs []string) error {
	kept, err := t.read()
	if err != nil || len(kept) == 0 {
		return err
	}
	file := filepath.Join(view, Main)
	text, err := disk.ReadFile(file, unix.O_NOFOLLOW, account.MaxCodexConfig)
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return err
	}
	known, more := projectsIn(text), text
	for _, dir := range dirs {
		if level := kept[dir].Trust; level != "" && known[dir].Trust == "" {
			more += fmt.Sprintf("\n[projects.%q]\ntrust_level = %q\n", dir, level)
		}
	}
	if more == text || tables(more) == nil { // or "projects" is written in a way that nothing can be added to
		return nil
	}
	return os.WriteFile(file, []byte(more), 0o600)
}

// Keep keeps the answers for these directories that the configuration in view has, and the one in before has not.
func (t Trust) Keep(before, view string, dirs []string) error {
	was, err := read(before)
	now, viewErr := read(view)
	if err := errors.Join(err, viewErr); err != nil {
		return err
	}
	known, told := projectsIn(was[Main]), map[string]project{}
	for _, dir := range dirs {
		if p := projectsIn(now[Main])[dir]; p != known[dir] && (p.Trust == "trusted" || p.Trust == "untrusted") {
			told[dir] = p
		}
	}
	if len(told) == 0 {
		return nil
	}
	kept, err := t.read()
	if err != nil {
		return err
	}
	if kept == nil {
		kept = map[string]project{}
	}
	maps.Copy(kept, told)
	text, err := toml.Marshal(projects{kept})
	if err != nil {
		return err
	}
	return disk.WriteFile(string(t), text)
}
