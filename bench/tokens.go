//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The transcripts whose tokens are added up: as many, and about as large, as codex leaves in some years.
const (
	transcripts     = 10_000
	transcriptTurns = 5
)

// transcript is the text of one: codex's instructions at its beginning, and turns with commands and what they print.
func transcript(n int) string {
	var b strings.Builder
	const stamp = `{"timestamp":"2026-07-%02dT10:%02d:00.000Z","type":`
	day := 1 + n%28
	fmt.Fprintf(&b, stamp+`"session_meta","payload":{"id":"01999f3e-0000-7000-8000-%012d","cwd":"/src/%d","base_instructions":{"text":"%s"}}}`+"\n", day, 0, n, n%50, strings.Repeat("instructions ", 600))
	for turn := range transcriptTurns {
		fmt.Fprintf(&b, stamp+`"turn_context","payload":{"model":"m%d"}}`+"\n", day, turn, n%3)
		for range 5 {
			fmt.Fprintf(&b, stamp+`"response_item","payload":{"type":"function_call_output","output":"%s"}}`+"\n", day, turn, strings.Repeat("output ", 80))
		}
		sum := 100 * (turn + 1)
		fmt.Fprintf(&b, stamp+`"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%[4]d,"total_tokens":%[4]d},"last_token_usage":{"input_tokens":100,"total_tokens":100}},"rate_limits":null}}`+"\n", day, turn, 0, sum)
	}
	return b.String()
}

// tokens measures `codex swop usage --since` without an index and with one.
func (b *bench) tokens() {
	u, err := b.scene(current, "tokens", b.path("target"), everyday)
	if !b.check(err) {
		return
	}
	dir := filepath.Join(u.home, ".codex", "sessions", "2026", "07", "01")
	if !b.check(os.MkdirAll(dir, 0o700)) {
		return
	}
	size := 0
	for n := range transcripts {
		text := transcript(n)
		size += len(text)
		if !b.check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("rollout-2026-07-01T10-00-00-01999f3e-0000-7000-8000-%012d.jsonl", n)), []byte(text), 0o600)) {
			return
		}
	}
	fmt.Printf("\n## Tokens\n\n`codex swop usage --since` of %d transcripts, %d MB together. Bound: 2 s.\n\n| | wall |\n|---|--:|\n", transcripts, size>>20)
	for _, row := range []string{"no index yet", "with the index", "again"} {
		began := time.Now()
		cmd := exec.Command(u.program("codex"), "swop", "usage", "--since", "2026-01-01")
		cmd.Env, cmd.Dir = u.env(), u.home
		out, err := cmd.CombinedOutput()
		took := time.Since(began)
		if err == nil && !strings.Contains(string(out), fmt.Sprint(transcripts*transcriptTurns*100)) {
			err = fmt.Errorf("usage --since prints %q", out)
		}
		if err == nil && took > 2*time.Second {
			err = fmt.Errorf("usage --since takes %v %s, want 2 s at most", took, row)
		}
		if !b.check(err) {
			return
		}
		fmt.Printf("| %s | %.0f ms |\n", row, milliseconds(took))
	}
}
