//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/account/process"
	"swop/internal/account/rpc"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// TestHooks: a hook runs under every account if the user trusts it, in the shared home or in codex's question under an account, and else
// nowhere.
func TestHooks(t *testing.T) {
	t.Parallel()
	for _, version := range sampled([]string{realcodex.Version, "0.169.0"}, realcodex.Version) {
		for _, isolation := range sampled([]string{"home", "codex-home"},
			"home") { // one at a time: the server of each terminal is a copy of 400 MB
			t.Run(version+"/"+isolation, func(t *testing.T) {
				r := release{version, true}
				h := hooked{makeTrial(t, r, programsOf(t, r), freshHome(t, "home-"))}
				h.write(".config/swop/config.toml", fmt.Sprintf("isolation = %q\n", isolation))
				h.add("work", workLogin)
				h.add("personal", personalLogin)
				h.declare("json", "toml")
				h.try()
			})
		}
	}
}

// TestConfinedHooks: a trusted hook runs in a confined session. What such a session writes into its own configuration, or in place of
// hooks.json, gains no trust outside.
func TestConfinedHooks(t *testing.T) {
	h := hooked{newConfinedTrial(t, realcodex.Version)}
	h.declare("json", "toml")
	h.trust(h.shared(), "json", "toml")
	h.wantAll("confined", []string{"json", "toml"}, "work", "work")
	h.model.Call(strings.Join([]string{
		"cd $CODEX_HOME; sed s/json/evil/ hooks.json >new; mv hooks.json old; cp new hooks.json",
		"sed s/echo/evil/ config.toml >new; cp new config.toml",
		`printf '\n[hooks.state."%s/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:0"\n' $CODEX_HOME ` + h.shared() + " >>config.toml",
		"echo ends-$((40+2)); tail -n 2 config.toml",
	}, "\n"))
	h.ok(h.exec("<write>", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	if got := h.turn("ends-42").Output(); !strings.Contains(got, "sha256:0") {
		h.t.Fatalf("the session wrote nothing: %q", got)
	}
	h.wantRan("confined, before it wrote", []string{"json", "toml"})
	h.wantAll("after it wrote", []string{"json", "toml"}, "personal", "")
	if config := testhome.TextOf(filepath.Join(h.shared(), "config.toml")); strings.Contains(config, "evil") ||
		strings.Contains(config, `"sha256:0"`) {
		t.Errorf("the shared configuration says what the session wrote:\n%s", config)
	}
}

// hooked is a user with a hook in hooks.json and one in config.toml. Each says its name when a prompt is sent.
type hooked struct{ trial }

func (h hooked) try() {
	h.wantAll("neither is trusted yet", nil, "work")
	h.trust(h.shared(), "json", "toml")
	h.wantAll("both are trusted", []string{"json", "toml"}, "work", "personal", "")
	h.wantEverywhere()
	eventually(h.t, "a server that has nothing more to write", func() bool {
		for _, name := range h.rollouts() { // as if it had written nothing for a minute
			testhome.NoError(h.t, os.Chtimes(name, time.Time{}, time.Now().Add(-2*time.Minute)))
		}
		return h.run(h.swop("rename", "work", "job")).status == 0
	})
	h.wantAll("after rename", []string{"json", "toml"}, "job")

	h.declare("changed", "toml")
	h.wantAll("one was changed", []string{"toml"}, "job")
	h.trust(h.sandbox("job"), "changed")
	h.wantAll("it was trusted under an account", []string{"changed", "toml"}, "job", "personal")
	h.declare("json", "toml")
	h.wantAll("it is again as it was", []string{"toml"}, "job")

	h.distrust("config.toml")
	h.wantAll("trust was taken back", nil, "personal")
}

// wantEverywhere has a turn in each kind of session.
func (h hooked) wantEverywhere() {
	both := []string{"json", "toml"}
	h.ok(h.codex("exec", "resume", "--skip-git-repo-check", "--last", "<resumed>").as("personal"))
	h.wantRan("exec resume", both)
	h.env = append(h.env, "SWOP_ACCOUNT=work")
	h.serves(filepath.Join(h.programs.swop, "codex"), "<served>")
	h.wantRan("app-server", both)
	for _, command := range []string{"codex -m test-model", "codex -m test-model resume --last"} {
		w := h.openTerminal(command)
		w.await(h.prompt())
		w.ask("<typed>")
		h.turn("<typed>")
		w.await(responses.Reply)
		w.quit()
		w.close()
		h.wantRan(command, both)
	}
	if len(h.listening("work")) == 0 {
		h.t.Error("the terminal's sessions had no background server, as they have without swop")
	}
}

// wantAll has a turn under each account, "" for none, in which these hooks run.
func (h hooked) wantAll(when string, want []string, labels ...string) {
	h.t.Helper()
	for _, label := range labels {
		h.says(h.exec("<hello>").as(label))
		h.wantRan(when+", as "+label, want)
	}
}

// wantRan fails unless these hooks have run since the last call, once each.
func (h hooked) wantRan(when string, want []string) {
	h.t.Helper()
	var got []string
	eventually(h.t, "the hooks", func() bool { // a terminal's server runs them, and may be late
		got = append(got, h.ran()...)
		return len(got) >= len(want)
	})
	if slices.Sort(got); !slices.Equal(got, want) {
		h.t.Errorf("%s: hooks ran: %q, want %q", when, got, want)
	}
}

// ran returns which hooks have run since the last call.
func (h hooked) ran() []string {
	h.t.Helper()
	file := filepath.Join(h.work, "ran")
	text, err := os.ReadFile(file)
	testhome.NoError(h.t, ignoreMissing(err))
	testhome.NoError(h.t, ignoreMissing(os.Remove(file)))
	got := strings.Fields(string(text))
	slices.Sort(got)
	return got
}

// declare declares two hooks, by what they say.
func (h hooked) declare(inJSON, inTOML string) {
	h.t.Helper()
	says := func(word string) string { return fmt.Sprintf("echo %s >>%s/ran", word, h.work) }
	h.write(".codex/hooks.json", fmt.Sprintf(`{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": %q}]}]}}`,
		says(inJSON)))
	config := testhome.TextOf(filepath.Join(h.shared(), "config.toml"))
	if !strings.Contains(config, "[[hooks.") {
		h.write(".codex/config.toml", config+fmt.Sprintf("\n[[hooks.UserPromptSubmit]]\n[[hooks.UserPromptSubmit.hooks]]\ntype = "+
			"\"command\"\ncommand = %q\n", says(inTOML)))
	}
}

// trust answers codex's question in this codex home, of the hooks that say these words.
func (h hooked) trust(home string, words ...string) {
	h.t.Helper()
	h.asks(home, func(c *rpc.Conversation) error {
		result, err := c.Call("hooks/list", mustJSON(object{"cwds": []string{h.work}}))
		if err != nil {
			return err
		}
		var list struct {
			Data []struct {
				Hooks []struct{ Key, Command, CurrentHash string }
			}
		}
		if err := json.Unmarshal(result, &list); err != nil {
			return err
		}
		states := object{}
		for _, hook := range list.Data[0].Hooks {
			if slices.Contains(words, strings.Fields(hook.Command)[1]) {
				states[hook.Key] = object{"trusted_hash": hook.CurrentHash}
			}
		}
		if len(states) != len(words) {
			h.t.Errorf("codex lists %s, want %q in it", result, words)
		}
		edit := object{"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": states}
		_, err = c.Call("config/batchWrite", mustJSON(object{"edits": []object{edit}}))
		return err
	})
}

// distrust takes back the trust in what this file of the shared home declares.
func (h hooked) distrust(file string) {
	h.t.Helper()
	key := filepath.Join(h.shared(), file) + ":user_prompt_submit:0:0"
	edit := object{"keyPath": fmt.Sprintf("hooks.state.%q", key), "mergeStrategy": "replace", "value": nil}
	h.asks(h.shared(), func(c *rpc.Conversation) error {
		_, err := c.Call("config/batchWrite", mustJSON(object{"edits": []object{edit}}))
		return err
	})
}

// asks talks with the real codex in this codex home.
func (h hooked) asks(home string, ask func(*rpc.Conversation) error) {
	h.t.Helper()
	c := h.direct()
	env := append(c.Env, "CODEX_HOME="+home)
	server := process.Program{Path: c.Path, Args: []string{"codex", "app-server"}, Env: env}
	testhome.NoError(h.t, rpc.Talk(h.t.Context(), server, nil, ask))
}

func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
