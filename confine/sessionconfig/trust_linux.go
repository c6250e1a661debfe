package sessionconfig

import (
	"fmt"
	"io/fs"
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

// Tell adds the answer for a directory to the configuration in view.
func (t Trust) Tell(view, dir string) error {
	kept, err := t.read()
	if err != nil || len(kept) == 0 {
		return err
	}
	file := filepath.Join(view, Main)
	text, err := disk.ReadFile(file, unix.O_NOFOLLOW, account.MaxCodexConfig)
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return err
	}
	level := kept[dir].Trust
	if level == "" || projectsIn(text)[dir].Trust != "" {
		return nil
	}
	text += fmt.Sprintf("\n[projects.%q]\ntrust_level = %q\n", dir, level)
	if tables(text) == nil { // "projects" is written in a way that nothing can be added to
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o600)
}

// Keep keeps the answer for a directory that the configuration in view has, and the one in before has not.
func (t Trust) Keep(before, view, dir string) error {
	told := projectsIn(read(view, Main))[dir]
	if told == projectsIn(read(before, Main))[dir] || told.Trust != "trusted" && told.Trust != "untrusted" {
		return nil
	}
	kept, err := t.read()
	if err != nil {
		return err
	}
	if kept == nil {
		kept = map[string]project{}
	}
	kept[dir] = told
	text, err := toml.Marshal(projects{kept})
	if err != nil {
		return err
	}
	return disk.WriteFile(string(t), text)
}
