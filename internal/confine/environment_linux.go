package confine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"swop/config"
	"swop/internal/confine/proxy"
)

func (j *Jail) writeInside() error {
	r := j.request
	in := Inside{Label: r.Meta.Label, Key: r.Key, Policy: j.scene.Policy, CodexHome: r.CodexHome()}
	if isolation, _ := r.Settings.For(r.Key); isolation == config.IsolateHome && !j.scene.Policy.HasHome() {
		in.Home = r.Home()
	}
	text, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(j.scene.Runtime, insideFile), append(text, '\n'), 0o600),
		os.WriteFile(filepath.Join(j.scene.Runtime, filepath.Base(HelperPath)), nil, 0o600), // it is mounted on
	)
}

// Env returns the environment inside: env without what would lead to something that is not there.
func (j *Jail) Env(env config.Env) config.Env {
	env = env.Without("SWOP_OUTER", "SWOP_CONFINE", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "CODEX_SQLITE_HOME").With("TMPDIR", "/tmp")
	if j.scene.Policy.HasHome() {
		env = env.With("HOME", j.scene.Home)
	}
	if !j.scene.Policy.Network.Host {
		env = withProxy(env)
	}
	return env
}

// withProxy returns env with the variables by which programs find a proxy. What listens inside is reached without it.
func withProxy(env config.Env) config.Env {
	const own = "localhost,127.0.0.1,::1"
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env = env.With(name, "http://"+proxy.Address)
	}
	return env.With("NO_PROXY", own).With("no_proxy", own)
}
