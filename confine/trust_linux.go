package confine

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

// Codex asks whether a directory is trusted, and notes the answer in its configuration. A confined session has a copy of that, so its answers
// are kept in a file of the account, in the form of codex's configuration, for the account's next confined sessions in the same workspace.
// Nothing else reads the file.

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

func (j *Jail) trustFile() string {
	return filepath.Join(j.request.confined(), "trust.toml")
}

func (j *Jail) readTrust() (map[string]project, error) {
	text, err := disk.ReadFile(j.trustFile(), unix.O_NOFOLLOW, account.MaxCodexConfig)
	return projectsIn(text), disk.Ignore(err, fs.ErrNotExist)
}

// addTrust adds what earlier confined sessions were told of the workspace to the session's configuration.
func (j *Jail) addTrust() error {
	kept, err := j.readTrust()
	if err != nil || len(kept) == 0 {
		return err
	}
	file := filepath.Join(j.scene.View.Dir, "config.toml")
	text, err := disk.ReadFile(file, unix.O_NOFOLLOW, maxCopy)
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return err
	}
	known, more := projectsIn(text), text
	for _, root := range j.scene.Workspace {
		if level := kept[root.Path].Trust; level != "" && known[root.Path].Trust == "" {
			more += fmt.Sprintf("\n[projects.%q]\ntrust_level = %q\n", root.Path, level)
		}
	}
	if more == text || tables(more) == nil { // or "projects" is written in a way that nothing can be added to
		return nil
	}
	return os.WriteFile(file, []byte(more), 0o600)
}

// keepTrust keeps what the session was told of its workspace.
func (j *Jail) keepTrust() error {
	before, err := readConfigs(j.dir)
	now, viewErr := readConfigs(j.scene.View.Dir)
	if err := errors.Join(err, viewErr); err != nil {
		return err
	}
	was, is := projectsIn(before["config.toml"]), projectsIn(now["config.toml"])
	told := map[string]project{}
	for _, root := range j.scene.Workspace {
		if p := is[root.Path]; p != was[root.Path] && (p.Trust == "trusted" || p.Trust == "untrusted") {
			told[root.Path] = p
		}
	}
	if len(told) == 0 {
		return nil
	}
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	kept, err := j.readTrust()
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
	return disk.WriteFile(j.trustFile(), text)
}
