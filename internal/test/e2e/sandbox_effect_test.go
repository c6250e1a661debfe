//go:build linux

package e2e

import "swop/codexsandbox"

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
