//go:build linux

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// bridgedKey is an API key that a bridge has, and no session.
const bridgedKey = "sk-bridged-0123456789-bridged"

// TestBridgedLogin: every kind of release sends its requests through an openai bridge, and has a stand-in for the key.
func TestBridgedLogin(t *testing.T) {
	t.Parallel()
	for _, r := range sampled(releases, releases[0], releases[len(releases)-1]) {
		t.Run(r.version, func(t *testing.T) {
			testhome.Needs(t, "userns") // for its last part
			tr := newTrial(t, r)
			tr.write(".codex/config.toml", "model = \"gpt-5\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n")
			config := fmt.Sprintf("[accounts.ci.bridge.openai]\nkind = \"openai\"\nupstream = \"%s/v1\"\ntoken = { env = \"CI_KEY\" }\n",
				tr.model.URL())
			tr.write(".config/swop/config.toml", config)
			tr.ok(tr.swop("add", "ci", "--no-login"))
			tr.env = append(tr.env, "CI_KEY="+bridgedKey, "CODEX_API_KEY=sk-another-key")
			calls := !r.before(128) // the test server's command is for newer releases
			if calls {
				tr.model.Call("(env; cat $CODEX_HOME/auth.json) >seen")
			}
			out := tr.ok(tr.exec("who pays?", "--dangerously-bypass-approvals-and-sandbox").as("ci"))
			if got := tr.turn("who pays?").Bearer; got != bridgedKey {
				t.Errorf("the server sees %q, want %q", got, bridgedKey)
			}
			if strings.Contains(out.stdout+out.stderr, bridgedKey) || testhome.HoldsText(bridgedKey, tr.home) {
				t.Errorf("stdout %q, stderr %q; in a file: %t", out.stdout, out.stderr, testhome.HoldsText(bridgedKey, tr.home))
			}
			seen := testhome.TextOf(filepath.Join(tr.work, "seen"))
			if calls && (!strings.Contains(seen, "sk-swop-bridge-") || strings.Contains(seen, "sk-another-key")) {
				t.Errorf("a command reads %q", seen)
			}
			// Confined it has no network but this way.
			tr.write(".config/swop/config.toml", config+"[confinement]\nnetwork = false\n")
			tr.env = append(tr.env, "SWOP_ALLOW_ROOT=1")
			tr.ok(tr.swop("confine", "ci", "workspace-write"))
			tr.ok(tr.exec("who pays inside?").as("ci"))
			if got := tr.turn("who pays inside?").Bearer; got != bridgedKey {
				t.Errorf("the server sees %q of a confined session, want %q", got, bridgedKey)
			}
		})
	}
}
