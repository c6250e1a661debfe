//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"swop/account"
	"swop/e2e/realcodex"
	"swop/home/rules"
)

// bothEnds are the oldest release and the newest.
var bothEnds = []release{releases[0], {version: realcodex.Version}}

// TestFreshUser has a user who never ran codex log in to two accounts and run them, all at the same time: there is one shared home.
func TestFreshUser(t *testing.T) {
	for _, r := range bothEnds {
		t.Run(r.version, func(t *testing.T) { newTrial(t, r).beginsAtOnce() })
	}
}

func (tr trial) beginsAtOnce() {
	if err := os.RemoveAll(tr.shared()); err != nil {
		tr.t.Fatal(err)
	}
	var logins, runs []*command
	for label, key := range keys {
		flags, stdin := tr.loginFlags(key)
		logins = append(logins, tr.start(tr.codex(append([]string{"login"}, flags...)...).as(label).fed(stdin)))
	}
	tr.allSucceed(logins)
	for label := range keys {
		runs = append(runs, tr.start(tr.exec("<first of "+label+">", tr.provider()...).as(label)))
	}
	for label, key := range keys {
		tr.wantBearer("<first of "+label+">", key)
	}
	tr.allSucceed(runs)

	if info, err := os.Lstat(tr.shared()); err != nil || info.Mode() != os.ModeDir|0o700 {
		tr.t.Errorf("~/.codex is %v, %v, want a directory of mode 0700", info, err)
	}
	if got := tr.rollouts(); len(got) != len(keys) {
		tr.t.Errorf("transcripts in ~/.codex/sessions: %q, want %d", got, len(keys))
	}
	tr.checkSandbox()
}

func (tr trial) allSucceed(list []*command) {
	tr.t.Helper()
	for _, c := range list {
		if r := tr.finish(c); r.status != 0 {
			tr.t.Errorf("%s exits %d: %q", c, r.status, r.stderr)
		}
	}
}

// provider is the part of config.toml that codex needs to talk to the model, as flags.
func (tr trial) provider() []string {
	url := regexp.MustCompile(`base_url = "(.*)"`).FindStringSubmatch(tr.model.Config())[1]
	var flags []string
	for _, setting := range []string{
		"model_provider=loopback", "model_providers.loopback.name=loopback", "model_providers.loopback.base_url=" + url,
		"model_providers.loopback.wire_api=responses", "model_providers.loopback.requires_openai_auth=true",
		"model_providers.loopback.supports_websockets=false",
	} {
		flags = append(flags, "-c", setting)
	}
	return flags
}

// TestCanaries plants files in a sandbox that look like logins of a later release: nobody else gets them.
func TestCanaries(t *testing.T) {
	for _, r := range bothEnds {
		t.Run(r.version, func(t *testing.T) { newTrial(t, r).keepsCanaries() })
	}
}

func (tr trial) keepsCanaries() {
	const secret = "canary-0123456789"
	names := []string{"auth.v2.json", "auth.json.bak", "Auth.json"}
	tr.addBoth()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(tr.sandbox("work"), name), []byte(secret), 0o600); err != nil {
			tr.t.Fatal(err)
		}
	}
	for range 2 { // a new entry is adopted at the second reconcile
		for label, key := range keys {
			tr.says(tr.exec("<beside canaries, by " + label + ">").as(label))
			tr.wantBearer("<beside canaries, by "+label+">", key)
		}
		tr.ok(tr.swop("sync"))
	}
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(tr.sandbox("work"), name)); string(text) != secret {
			tr.t.Errorf("%s of work is %q, %v, want %q", name, text, err, secret)
		}
		tr.absent(filepath.Join(tr.shared(), name))
		tr.absent(filepath.Join(tr.sandbox("personal"), name))
		if err := os.Remove(filepath.Join(tr.sandbox("work"), name)); err != nil {
			tr.t.Fatal(err)
		}
	}
	tr.wantNowhere(secret)
	if got := rules.CodexHomeRules(nil, account.StateShared).Class("canary.json"); got != rules.Link {
		tr.t.Errorf("a name without a sign of a secret is of class %v: the canaries prove nothing", got)
	}
}
