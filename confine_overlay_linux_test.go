package swop_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"swop/internal/testhome"
)

// TestWithoutOverlay: where the kernel makes no overlay of the transcripts, a session sees copies of earlier ones, and what it writes comes back.
func TestWithoutOverlay(t *testing.T) {
	testhome.Needs(t, "userns")
	if os.Geteuid() != 0 {
		return // only root mounts an overlay for the test
	}
	makePrograms(t)
	b := newBattlefield(t)
	said := `{"type":"event_msg","payload":{"message":"%s","type":"user_message"}}`
	b.put(".codex/sessions/2026/01/02/rollout-x.jsonl", `{"type":"session_meta","payload":{"id":"x","cwd":"`+b.home+`/project"}}`+"\n"+fmt.Sprintf(said, "said")+"\n")
	session := b.in(exec.Command("codex", "exec"))
	session.Env = append(session.Env, "SWOP_ACCOUNT=work", "SWOP_CONFINE=read-only",
		`FAKE_SH=cd "$CODEX_HOME/sessions/2026/01/02" && grep -q said rollout-x.jsonl && echo '`+fmt.Sprintf(said, "more")+`' >>rollout-x.jsonl`)
	shim := session.Path
	session.Path, session.Args = "/usr/bin/unshare", []string{"unshare", "-m", "sh", "-ec", `mount -t tmpfs none /mnt
		cd "$HOME/.codex/sessions"
		for n in 1 2; do # the kernel puts two over each other at most
			mkdir /mnt/upper$n /mnt/work$n
			mount -t overlay -o lowerdir="$PWD",upperdir=/mnt/upper$n,workdir=/mnt/work$n none "$PWD"
			cd "$PWD"
		done
		cd "$HOME/project" && "$0" exec
		grep -q more "$HOME/.codex/sessions/2026/01/02/rollout-x.jsonl"`, shim}
	if out, err := session.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
