package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/rpc"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/shim"
)

// Codex runs a hook only if config.toml has the hash of its definition below hooks.state, at a name that begins with the path of the file
// that declares the hook. One file is at another path in each account. So before a start the real codex writes the user's answer for the
// hook, which stands at the path of the shared home, at the account's path too. An answer that the user gave under the account is written
// at the shared path, and so comes to all accounts.

// hookTrust is the user's answers for hooks, in one account and in the shared home.
type hookTrust struct {
	*shim.Decision
	home   string   // the account's codex home, as codex names it
	shared []string // the shared home: its path, and where that leads
	// the answers of each home, by file and place of the hook, as JSON
	own, common map[string]string
	last        struct { // the same, when both homes last had the same: [account.Account.HookTrustFile] holds it behind its first line
		Home  string
		Hooks map[string]string
	}
}

// carryHookTrust has codex trust the same hooks in the account and in the shared home, and prints why it cannot.
func carryHookTrust(d *shim.Decision, stderr io.Writer) {
	if d.Prepared.Key == "" || d.ChangesLogin || d.Program.Path == "" || d.Prepared.Meta.Confine != "" {
		return // a confined session has the file at the path of ~/.codex
	}
	layout, shared := account.Layout{Places: d.Invocation.Places}, d.Prepared.Root.SharedHome.Path
	err := layout.UnderHomeLock(shared, 0, nil, func() error { return (&hookTrust{Decision: d}).carry(shared) })
	text, unread := account.ReadConfig(filepath.Join(shared, "config.toml"))
	if err != nil && (unread != nil || strings.Contains(text, "trusted_hash")) {
		say.Line(stderr, "hooks that you trust in %s may not run under %q: %v", say.Name(shared), d.Prepared.Meta.Label, err)
	}
}

func (t *hookTrust) carry(shared string) error {
	a, file := t.Prepared.Account, filepath.Join(shared, "config.toml")
	if !disk.SameFile(file, a.CodexHome()+"/config.toml") {
		return nil // with a configuration of its own the account has its own trust
	}
	text, err := account.ReadConfig(file)
	if err != nil {
		return err
	}
	noted, unnoted := disk.ReadOwn(a.HookTrustFile(), account.MaxCodexConfig)
	if unnoted == nil && a.TrustsHooks(text) {
		return nil
	}
	if err := t.read(shared, text, noted); err != nil {
		return fmt.Errorf("%s%w", file, err)
	}
	edits := t.compare()
	if len(edits) > 0 {
		if err := t.write(file, edits); err != nil {
			return t.override(edits, err)
		}
		if text, err = account.ReadConfig(file); err != nil {
			return err
		}
	}
	t.last.Home, t.last.Hooks = t.home, t.common
	note, _ := json.Marshal(t.last) // strings always can be
	return disk.WriteFile(a.HookTrustFile(), append([]byte(a.HookTrustMark(text)), note...))
}

// read reads the answers in the configuration and in the note.
func (t *hookTrust) read(shared, text, noted string) error {
	tree, err := config.Parse(text)
	hooks, _ := tree["hooks"].(map[string]any)
	states, _ := hooks["state"].(map[string]any)  // tables, by the path of a hook
	t.home = disk.Resolve(t.Prepared.CodexHome()) // as codex resolves CODEX_HOME
	t.shared = []string{shared, disk.Resolve(shared)}
	t.own, t.common = said(states, t.home), said(states, t.shared...)
	_, note, _ := strings.Cut(noted, "\n")
	if json.Unmarshal([]byte(note), &t.last) != nil || t.last.Home != t.home {
		t.last.Home, t.last.Hooks = "", nil // the note is another account's, or was written before a rename
	}
	return err
}

// compare returns what is to be written so that both homes have the same answers: answers by the paths of hooks, "" for none. The shared
// home decides, unless only the account has changed since they last agreed. So no answer comes back that the user took from the shared
// home, and none of an earlier account of the same name counts.
func (t *hookTrust) compare() map[string]string {
	edits := map[string]string{}
	hooks := maps.Clone(t.own)
	maps.Copy(hooks, t.common)
	for hook := range hooks {
		own, shared := t.own[hook], t.common[hook]
		file, _, _ := strings.Cut(hook, ":")
		here := filepath.Join(t.home, file)
		switch {
		case disk.MayExist(here) && !disk.SameFile(here, filepath.Join(t.shared[0], file)): // the account has a file of its own
			delete(t.common, hook)
		case own == shared:
		case own != "" && t.last.Home != "" && shared == t.last.Hooks[hook]:
			edits[filepath.Join(t.shared[0], hook)] = own
			t.common[hook] = own
		default:
			edits[filepath.Join(t.home, hook)] = shared
		}
	}
	return edits
}

// said returns the answers for the hooks that files in the homes declare. The first home decides.
func said(states map[string]any, homes ...string) map[string]string {
	said := map[string]string{}
	for _, dir := range slices.Backward(homes) {
		for path, state := range states {
			hook, ok := strings.CutPrefix(path, dir+string(filepath.Separator))
			if file, _, _ := strings.Cut(hook, ":"); ok && filepath.Base(file) == file {
				text, _ := json.Marshal(state) // what TOML can hold, JSON can
				said[hook] = string(text)
			}
		}
	}
	return said
}

// override has codex trust hooks in this call alone, where config.toml cannot be written, as in a read-only store.
func (t *hookTrust) override(edits map[string]string, unwritten error) error {
	var states []string
	for path, answer := range edits {
		if answer != "" { // else the trust is withdrawn
			// an object of numbers, truths and hashes: in TOML it differs in the signs behind its names
			states = append(states, quoted(path)+"="+strings.ReplaceAll(answer, `":`, `"=`))
		}
	}
	if len(states) == 0 {
		return unwritten
	}
	t.Args = slices.Insert(slices.Clone(t.Args), 1, "-c", "hooks.state={"+strings.Join(states, ",")+"}")
	return nil
}

// quoted returns the path as a key of TOML, in which codex reads JSON's escapes.
func quoted(path string) string {
	text, _ := json.Marshal(path) // a string always can be
	return string(text)
}

// write has the real codex write to config. Codex runs in an empty home of its own, without a login, in which config.toml is a link to
// config.
func (t *hookTrust) write(config string, edits map[string]string) error {
	var list []any
	for path, answer := range edits {
		value := json.RawMessage(cmp.Or(answer, "null")) // removes the table
		list = append(list, map[string]any{"keyPath": "hooks.state." + quoted(path), "mergeStrategy": "replace", "value": value})
	}
	params, _ := json.Marshal(map[string]any{"edits": list}) // as the answers were
	home := filepath.Join(t.Prepared.Dir, "hook-trust-home")
	made := errors.Join(os.RemoveAll(home), os.Mkdir(home, 0o700)) // it may be of a run that was killed
	defer os.RemoveAll(home)
	if err := errors.Join(made, os.Symlink(config, filepath.Join(home, "config.toml"))); err != nil {
		return err
	}
	codex := asked(t.Invocation, t.Prepared, t.Program, t.Invocation.Env.With("CODEX_HOME", home), home)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // it takes 0.1 s
	defer cancel()
	return codex.Talk(ctx, func(c *rpc.Conversation) error {
		_, err := c.Call("config/batchWrite", params)
		return err
	})
}
