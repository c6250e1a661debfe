package continuation

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
)

// What codex exec --help and codex exec resume --help print, shortened.
const (
	execHelp = `Run Codex non-interactively

Usage: codex exec [OPTIONS] [PROMPT]

Commands:
  resume  Resume a previous session by id or pick the most recent with --last
  review  Run a code review against the current repository

Arguments:
  [PROMPT]
          Initial instructions for the agent. If - is used, they are read from stdin

Options:
  -c, --config <key=value>
          Examples: - ` + "`-c model=\"o3\"`" + `
  -i, --image <FILE>...
  -m, --model <MODEL>
      --json
  -o, --output-last-message <FILE>
      --output-schema <FILE>
`
	resumeHelp = `Usage: codex exec resume [OPTIONS] [SESSION_ID] [PROMPT]

Options:
  -c, --config <key=value>
      --last
      --all
  -i, --image <FILE>
      --full-auto
`
)

func TestResume(t *testing.T) {
	o := ParseHelp(execHelp, resumeHelp)
	for _, test := range []struct {
		args, want string
		prompt     bool
	}{
		{"fix", "resume ID continue", true},
		{"", "resume ID continue", false},
		{"--json -m gpt-5 fix", "--json -m gpt-5 resume ID continue", true},
		{"fix --model=gpt-5 -o out", "--model=gpt-5 -o out resume ID continue", true},
		{"-i a.png b.png --json fix", "--json resume ID continue", true},
		{"--json -- -fix", "--json resume ID continue", true},
		{"resume --last fix", "resume ID continue", true},
		{"--json resume --full-auto OTHER fix -c a=b", "--json resume --full-auto -c a=b ID continue", true},
		{"resume OTHER", "resume ID continue", false},
	} {
		call, err := o.Parse(strings.Fields(test.args))
		got := strings.Join(call.Resume("ID", "continue"), " ")
		if err != nil || got != test.want || call.HasPrompt != test.prompt {
			t.Errorf("after %q come %q, %t, %v, want %q, %t", test.args, got, call.HasPrompt, err, test.want, test.prompt)
		}
	}
	for _, args := range []string{"review", "-m x review --base main"} {
		if _, err := o.Parse(strings.Fields(args)); err == nil {
			t.Errorf("%q can be continued", args)
		}
	}
	if _, err := ParseHelp("no help").Parse([]string{"fix"}); err == nil {
		t.Error("without a help text a call can be continued")
	}
}

func TestWatch(t *testing.T) {
	const id, other = "01a208d3-d907-7321-b583-2c4d40fc5f91", "01a208d3-d907-7321-b583-000000000000"
	event := func(id string) string { return `{"type":"thread.started","thread_id":"` + id + "\"}\n" }
	started := event("-C..") + event(id) + event(other)
	failed := `{"type":"error","message":"You've hit your usage limit."}` + "\n" + `{"type":"turn.failed","error":{"message":"x"}}` + "\n"
	again := `{"type":"error","message":"Reconnecting... 1/5"}` + "\n" +
		`{"type":"item.completed","item":{"type":"error","message":"invalid_encrypted_content"}}` + "\n"
	long := func(size int) string { return `{"type":"error","message":"` + strings.Repeat("x", size-30) + "\"}\n" }
	for _, test := range []struct {
		name           string
		events         bool
		text, out      string
		undecipherable bool
	}{
		{"events", true, started + again, started + again, false},
		{"a failure is held back", true, started + again + failed, started + again, false},
		{"a line without end", true, started + long(70_000), "", false},
		{"failures without end", true, started + strings.Repeat(long(1<<10), 100), started + strings.Repeat(long(1<<10), 65), false},
		{"what cannot be read", true, started + `{"type":"turn.failed","error":{"message":"{\"code\":\"invalid_encrypted_content\"}"}}`, started, true},
		{"text", false, "x\nsession id: -Caaaaaa-d907-7321-b583-2c4d40fc5f91\n\x1b[1msession id:\x1b[0m " + id + "\nsession id: " + other + "\n", "", false},
		{"an error", false, "session id: " + id + "\n\x1b[31mERROR:\x1b[0m {\"code\":\"invalid_encrypted_content\"}\nrest", "", true},
		{"what a model writes", false, "session id: " + id + "\ninvalid_encrypted_content\n", "", false},
	} {
		var out bytes.Buffer
		w := Watch{Out: &out, Events: test.events}
		err := w.Copy(strings.NewReader(test.text))
		test.out = cmp.Or(test.out, test.text)
		if err != nil || w.Session != id || w.Undecipherable != test.undecipherable || out.String() != test.out {
			t.Errorf("%s: %q, %t, %q, %v, want %q, %t", test.name, w.Session, w.Undecipherable, out.String(), err, test.out, test.undecipherable)
		}
		if err := w.Release(); err != nil || out.String() != test.text {
			t.Errorf("%s: released, it is %q, want %q", test.name, out.String(), test.text)
		}
	}
	if !PrintsEvents([]string{"-m", "x", "--json"}) || PrintsEvents([]string{"--", "--json"}) {
		t.Error("PrintsEvents")
	}
}
