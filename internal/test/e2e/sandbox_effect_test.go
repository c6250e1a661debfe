//go:build linux

package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"swop/codexsandbox"
)

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

// The script that the other tests rely on does all of it where nothing denies it.
func TestSandboxEffectsWithoutSandbox(t *testing.T) {
	st := newSandboxTrial(t, sandboxReleases[0])
	r := st.effects()
	cmd := exec.Command(r.Command[0], r.Command[1:]...)
	cmd.Dir, cmd.Env = st.work, append(st.env, "CODEX_HOME="+st.shared())
	out, err := cmd.Output()
	if want := "read inside outside codexhome tmpdir tmp connection"; err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
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
