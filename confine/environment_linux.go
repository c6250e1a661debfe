package confine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/confine/advice"
	"swop/confine/proxy"
	"swop/confine/view"
)

// codexHome is CODEX_HOME inside: where it is unconfined, unless the link there does not lead to the shared one.
func (j *Jail) codexHome() string {
	if j.scene.SharedHome == filepath.Join(j.scene.Home, ".codex") {
		return j.request.CodexHome()
	}
	return j.scene.SharedHome
}

// databases is CODEX_SQLITE_HOME inside.
func (j *Jail) databases() string { return filepath.Join(j.codexHome(), view.Own) }

func (j *Jail) writeInside() error {
	r := j.request
	in := Inside{
		Label: r.Meta.Label, Key: r.Key, Policy: j.scene.Policy, CodexHome: j.codexHome(), Databases: j.databases(),
	}
	if isolation, _ := r.Settings.For(r.Key); isolation == config.IsolateHome {
		in.Home = r.Home()
	}
	text, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(j.scene.Runtime, insideFile), append(text, '\n'), 0o600),
		os.WriteFile(filepath.Join(j.scene.Runtime, advice.File), nil, 0o600),
	)
}

// Env returns the environment inside: env without what would lead to something that is not there.
func (j *Jail) Env(env config.Env) config.Env {
	env = env.Without("SWOP_OUTER", "SWOP_CONFINE", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR").WithAll(
		config.Variable{Name: "CODEX_HOME", Value: j.codexHome()},
		config.Variable{Name: "CODEX_SQLITE_HOME", Value: j.databases()},
		config.Variable{Name: "TMPDIR", Value: "/tmp"},
	)
	if j.proxy != nil {
		env = withProxy(env, j.scene.Policy.Network.Hosts)
	}
	if j.advises() && env.Value(advice.Variable) == "" {
		env = env.With(advice.Variable, advice.Value)
	}
	if agent := env.Value("SSH_AUTH_SOCK"); agent != "" && !slices.Contains(j.scene.Policy.Sockets, agent) {
		env = env.Without("SSH_AUTH_SOCK")
	}
	return env
}

// withProxy returns env with the variables by which programs find a proxy. What listens inside is reached without it, unless the list has
// this machine itself.
func withProxy(env config.Env, hosts []string) config.Env {
	env = env.Without("ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		env = env.With(name, "http://"+proxy.Address)
	}
	if slices.ContainsFunc(hosts, func(host string) bool {
		return strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "[::1]")
	}) {
		return env
	}
	return env.With("NO_PROXY", "localhost,127.0.0.1,::1").With("no_proxy", "localhost,127.0.0.1,::1")
}
