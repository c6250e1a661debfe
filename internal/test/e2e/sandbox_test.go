//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"time"

	"swop/codexsandbox"
)

func (st sandboxTrial) wantUnsupported(r codexsandbox.Request, feature string) {
	st.t.Helper()
	_, err := st.client("work").Run(st.t.Context(), r)
	if want := "codex " + st.version + " does not support " + feature; err == nil || err.Error() != want {
		st.t.Errorf("%v, want %s", err, want)
	}
}

func (st sandboxTrial) checkStatus() {
	if run := st.call(bash("kill -KILL $$")); run.Status != 137 || run.TimedOut {
		st.t.Errorf("%+v, want 137", run)
	}
	// codex itself reports a missing command; words that are its own subcommands are no commands.
	for _, name := range []string{"no-such-command", "help"} {
		run := st.call(codexsandbox.Request{Command: []string{name}})
		if run.Status != 101 || !strings.Contains(string(run.Stderr), name) {
			st.t.Errorf("%q: status %d, stderr %q, want 101 and its name", name, run.Status, run.Stderr)
		}
	}
	st.checkStreams()
}

// checkStreams: arguments and streams go through as they are, in the working directory that is asked for.
func (st sandboxTrial) checkStreams() {
	st.t.Helper()
	r := bash(`pwd; printf '%s|' "$@"; cat; printf 'e\0\377' >&2`, "a b", "", "$x;é", "--full-auto")
	r.WorkingDir, r.Stdin = st.outside, strings.NewReader("in\x00put")
	run := st.call(r)
	if want := st.outside + "\na b||$x;é|--full-auto|in\x00put"; string(run.Stdout) != want || string(run.Stderr) != "e\x00\xff" {
		st.t.Errorf("stdout %q, want %q; stderr %q", run.Stdout, want, run.Stderr)
	}
}

// checkTimeout: a command that is stopped leaves no process of its group.
func (st sandboxTrial) checkTimeout() {
	for limit := time.Second; limit < patience; limit *= 2 {
		r := bash(`(trap "" TERM INT HUP; sleep 300 & wait) & echo started; wait`)
		r.Timeout = limit
		run := st.call(r)
		if !run.TimedOut {
			st.t.Errorf("%+v, want a timeout", run)
		}
		st.wantNoProcess()
		if string(run.Stdout) == "started\n" {
			return
		}
	}
	st.t.Fatal("the command does not start in time")
}

// wantNoProcess checks that no process of the user is left.
func (st sandboxTrial) wantNoProcess() {
	st.t.Helper()
	if left := processes(st.t, st.home); len(left) > 0 {
		st.t.Errorf("processes %v are left", left)
	}
}

// For a platform that is not the host's, codex itself says that it has no sandbox, where it knows the platform.
func (st sandboxTrial) checkOtherPlatform() {
	r := bash("exit 7")
	r.Platform = codexsandbox.MacOS
	if !st.before(134) {
		st.wantUnsupported(r, "the sandbox of macos on linux")
	} else if run := st.call(r); run.Status != 1 || !strings.HasPrefix(string(run.Stderr), "Error: ") {
		st.t.Errorf("macos: %+v, want codex's own status and message", run)
	}
}

// Enabling and disabling reaches codex, which knows its features.
func (st sandboxTrial) checkFeatures() {
	r := bash("exit 7")
	r.Enable = []string{"no_such_feature"}
	if st.before(47) {
		st.wantUnsupported(r, "enabling and disabling of features")
		return
	}
	if run := st.call(r); run.Status == 7 || !strings.Contains(string(run.Stderr), "no_such_feature") {
		st.t.Errorf("%+v, want codex's own message", run)
	}
}

// The verb has the command's streams and status.
func (st sandboxTrial) checkVerb() {
	r := st.want(7, st.swop("sandbox", "--account", "personal", "--full-auto", "-C", st.outside, "--", "bash", "-c",
		"cat; pwd; echo err >&2; echo x >file; exit 7").fed("in\n"))
	if r.stdout != "in\n"+st.outside+"\n" || r.stderr != "err\n" {
		st.t.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
	st.present(filepath.Join(st.outside, "file"))
}

// The verb starts codex's native program, and asks that for its release: npm's launcher cannot run where node is missing.
func (st sandboxTrial) checkWithoutNode() {
	bare := "PATH=" + strings.Join([]string{st.programs.swop, st.programs.real, st.tools("bwrap")}, ":")
	st.want(127, st.direct("--version").with(bare))
	eventually(st.t, "what the launcher starts to be known", func() bool { // another test may link the programs, which changes their times
		st.ok(st.codex("--version").as("work"))
		return st.run(st.swop("sandbox", "--account", "work", "--", "/bin/sh", "-c", "exit 7").with(bare)).status == 7
	})
}

// openConfig is a config.toml that opens the sandbox wherever some release lets it.
func (st sandboxTrial) openConfig() string {
	return `sandbox_mode = "danger-full-access"
default_permissions = "open"
[sandbox_workspace_write]
network_access = true
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
writable_roots = ["` + st.outside + `"]
[permissions.open.filesystem]
":root" = "write"
[permissions.open.network]
enabled = true
`
}

func (st sandboxTrial) checkEffects() {
	readOnly := func(*codexsandbox.Request) {}
	fullAuto := func(r *codexsandbox.Request) { r.FullAuto = true }
	defer st.write(".codex/config.toml", st.config())
	st.write(".codex/config.toml", "")
	st.wantEffects(readOnly, "read")
	st.wantEffects(fullAuto, "read inside tmpdir tmp")
	st.write(".codex/config.toml", st.openConfig())
	st.wantEffects(readOnly, "read")
	st.wantEffects(fullAuto, "read inside tmpdir tmp")
}
