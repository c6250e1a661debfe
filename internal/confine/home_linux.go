package confine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/home/rules"
)

// The home of a confined account is written by its sessions, and read as such: through no link, in bounds. What is made here is made by
// handle.

// accountHome is that home, open.
type accountHome struct{ *os.Root }

// openHome opens the account's home, and the codex home in it, also where a session has closed them.
func openHome(a account.Account) (h accountHome, err error) {
	top, err := os.OpenRoot(a.Dir)
	if err != nil {
		return h, err
	}
	defer top.Close()
	for _, dir := range []string{"home", "home/.codex"} {
		if err := disk.Ignore(top.Mkdir(dir, 0o700), fs.ErrExist); err != nil {
			return h, err
		}
		if info, err := top.Lstat(dir); err != nil || !info.IsDir() {
			return h, errors.Join(err, &Violation{"the account's home", filepath.Join(a.Dir, dir), "is no directory"})
		}
		if err := top.Chmod(dir, 0o700); err != nil {
			return h, err
		}
	}
	root, err := top.OpenRoot("home")
	return accountHome{root}, err
}

// ownSkills is what codex puts beside the user's skills.
const ownSkills = ".system"

// link leads from the codex home to what the session sees of the shared one, and returns the names of that. Skills are led to one by one,
// since codex puts its own beside them. What the account has itself stays.
func (h accountHome) link(shared string) (names []string, err error) {
	entries, err := os.ReadDir(shared)
	if err := disk.Ignore(err, fs.ErrNotExist); err != nil {
		return nil, err
	}
	links := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if !rules.ShownConfined(name) || rules.LooksSecret(name) || disk.IsTemp(name) || name == ".git" {
			continue
		}
		if info, err := os.Stat(filepath.Join(shared, name)); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		names = append(names, name)
		if name != "skills" {
			links[name] = filepath.Join(SharedDir, name)
			continue
		}
		skills, _ := os.ReadDir(filepath.Join(shared, name)) // what cannot be read is not there
		for _, skill := range skills {
			if skill.Name() != ownSkills {
				links["skills/"+skill.Name()] = filepath.Join(SharedDir, "skills", skill.Name())
			}
		}
	}
	return names, h.setLinks(links)
}

// setLinks makes these links in the codex home, and removes those of earlier starts.
func (h accountHome) setLinks(links map[string]string) error {
	if err := disk.Ignore(h.Mkdir(".codex/skills", 0o700), fs.ErrExist); err != nil {
		return err
	}
	for _, dir := range []string{"", "skills/"} {
		in, err := h.Open(".codex/" + dir)
		if err != nil {
			continue // a session has put something else there
		}
		names, _ := in.Readdirnames(-1) // what cannot be read is not removed
		_ = in.Close()                  // nothing was written
		for _, name := range names {
			to, err := h.Readlink(".codex/" + dir + name)
			if err == nil && config.Within(to, SharedDir) && links[dir+name] != to {
				_ = h.Remove(".codex/" + dir + name) // else it leads nowhere
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		err := h.Symlink(links[name], ".codex/"+name)
		if err != nil && !errors.Is(err, fs.ErrExist) && !strings.HasPrefix(name, "skills/") { // what is in a session's own skills stays
			return err
		}
	}
	return nil
}

// configFile is the configuration in a codex home.
const configFile = "config.toml"

// configure writes the account's config.toml again where the shared one is another one than that of the last time: as a copy of it, with
// the answers to whether directories are trusted that the account had. No other session of the account runs.
func (j *Jail) configure() error {
	text, err := disk.ReadFile(filepath.Join(j.scene.SharedHome, configFile), 0, account.MaxCodexConfig)
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return err
	}
	noted, digest := filepath.Join(j.request.confined(), "config-of"), fmt.Sprintf("%x\n", sha256.Sum256([]byte(text)))
	if was, err := os.ReadFile(noted); err == nil && string(was) == digest {
		return nil
	}
	former, _ := disk.ReadFile(filepath.Join(j.scene.OwnHome, ".codex", configFile), unix.O_NOFOLLOW, account.MaxCodexConfig) // else it has none
	now := text + trusted(projectsIn(former), projectsIn(text))
	if _, ok := login.ConfigTree(now); !ok { // the shared one says "projects" in a way that nothing can be added to
		now = text
	}
	if now != former {
		if former != "" {
			l := account.Layout{Places: j.request.Places}
			if err := home.Keep(l, j.request.Key, configFile, former, j.dir, j.request.Now()); err != nil {
				return err
			}
		}
		if err := j.home.write(".codex/"+configFile, now); err != nil {
			return err
		}
	}
	return disk.WriteFile(noted, []byte(digest))
}

// write puts a file into the home, in the place of whatever has the name.
func (h accountHome) write(name, text string) error {
	temp := name + ".swop-new"
	_ = h.RemoveAll(temp) // of a run that was killed
	f, err := h.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = h.Rename(temp, name)
	}
	if errors.Is(err, unix.EISDIR) {
		err = errors.Join(h.RemoveAll(name), h.Rename(temp, name)) // a session's own
	}
	return err
}

// projectsIn returns what a configuration says of directories, trusted or untrusted. One that cannot be read says nothing.
func projectsIn(text string) map[string]string {
	tree, _ := login.ConfigTree(text)
	list, _ := tree["projects"].(map[string]any)
	projects := map[string]string{}
	for dir, of := range list {
		project, _ := of.(map[string]any)
		projects[dir], _ = project["trust_level"].(string)
	}
	return projects
}

// trusted returns the tables of what one configuration says of directories, and another does not.
func trusted(had, has map[string]string) string {
	var b strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(had)) {
		level := had[dir]
		if _, said := has[dir]; !said && (level == "trusted" || level == "untrusted") && b.Len() < account.MaxCodexConfig {
			fmt.Fprintf(&b, "\n[projects.%q]\ntrust_level = %q\n", dir, level)
		}
	}
	return b.String()
}

// addPaths adds paths to a list in a file, each with a NUL behind it.
func addPaths(file string, paths ...string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		_, err = f.WriteString(strings.Join(paths, "\x00") + "\x00")
	}
	return errors.Join(err, f.Close())
}

// pathsIn returns the paths in a list. A missing one has none.
func pathsIn(file string) []string {
	text, _ := os.ReadFile(file) // what cannot be read names nothing
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}
