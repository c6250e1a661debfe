//go:build linux

package e2e

import (
	"os"
	"regexp"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// bothEnds are the oldest release and the newest.
var bothEnds = []release{releases[0], {version: realcodex.Version}}

// TestFreshUser has a user who never ran codex log in to two accounts and run them, all at the same time: there is one shared home.
func TestFreshUser(t *testing.T) {
	t.Parallel()
	for _, r := range bothEnds {
		t.Run(r.version, func(t *testing.T) { newTrial(t, r).beginsAtOnce() })
	}
}

func (tr trial) beginsAtOnce() {
	testhome.NoError(tr.t, os.RemoveAll(tr.shared()))
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
