package confine

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home"
)

// Sessions write the home of a confined account. So these functions act by handle, follow no link, and read in bounds.

// configFile is the configuration in a codex home.
const configFile = "config.toml"

// configure writes the account's config.toml again where the shared one is another one than that of the last time, or the home is a fresh
// one: as a copy of it, with the answers to whether directories are trusted that the account had. No other session of the account runs.
func (j *Jail) configure() error {
	text, err := disk.ReadFile(j.scene.SharedConfig, account.MaxCodexConfig)
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return err
	}
	former := j.ownConfig()
	noted, digest := filepath.Join(j.scene.Account.Dir, "config-of"), fmt.Sprintf("%x\n", sha256.Sum256([]byte(text)))
	if was, err := os.ReadFile(noted); err == nil && string(was) == digest && (former != "" || text == "") {
		return nil
	}
	now := text + trusted(former, text)
	if _, err := config.Parse(now); err != nil { // the shared one says "projects" in a way that nothing can be added to
		now = text
	}
	if now != former {
		if former != "" {
			if err := home.Keep(account.Layout{Places: j.scene.Places}, j.scene.Key, configFile, former); err != nil {
				return err
			}
		}
		if err := disk.WriteFile(j.inHome(configFile), []byte(now)); err != nil {
			return err
		}
	}
	return disk.WriteFile(noted, []byte(digest))
}

// inHome returns a path of an entry of the codex home, whatever a session puts in the place of that or of a directory above.
func (j *Jail) inHome(name string) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", j.codexHome.Fd(), name)
}

// ownConfig returns the text of the account's config.toml, "" for one that cannot be read.
func (j *Jail) ownConfig() string {
	text, _ := disk.ReadOwn(j.inHome(configFile), account.MaxCodexConfig)
	return text
}

// trusted returns the tables of the directories that one configuration calls trusted or untrusted, and that another does not name. An
// invalid configuration names none.
func trusted(had, has string) string {
	projects := func(text string) map[string]any {
		tree, _ := config.Parse(text)
		list, _ := tree["projects"].(map[string]any)
		return list
	}
	var b strings.Builder
	list, said := projects(had), projects(has)
	for _, dir := range slices.Sorted(maps.Keys(list)) {
		project, _ := list[dir].(map[string]any)
		level := project["trust_level"]
		if _, is := said[dir]; !is && (level == "trusted" || level == "untrusted") && b.Len() < account.MaxCodexConfig {
			fmt.Fprintf(&b, "\n[projects.%q]\ntrust_level = %q\n", dir, level)
		}
	}
	return b.String()
}
