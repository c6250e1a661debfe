//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// cargoFiles are a user's configuration of cargo, what cargo has installed, and a crate that depends on one from a directory that
// replaces the registry.
var cargoFiles = map[string]string{
	".cargo/config.toml":                "[alias]\nchk = \"check --quiet\"\n[source.crates-io]\nreplace-with = \"mine\"\n[source.mine]\ndirectory = \"registry\"\n[env]\nFROM_CARGO = \"configured\"\n[net]\noffline = true\n",
	".cargo/.crates.toml":               "[v1]\n\"hello-cargo 1.2.3 (registry+https://github.com/rust-lang/crates.io-index)\" = [\"hello-cargo\"]\n",
	".cargo/bin/cargo-where":            "#!/bin/sh\necho a subcommand of mine\n",
	"registry/dep/Cargo.toml":           "[package]\nname = \"dep\"\nversion = \"1.0.0\"\nedition = \"2018\"\n",
	"registry/dep/src/lib.rs":           "pub fn dep() {}\n",
	"registry/dep/.cargo-checksum.json": `{"files":{},"package":null}`,
	"work/crate/Cargo.toml":             "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[dependencies]\ndep = \"1\"\n",
	"work/crate/src/main.rs":            "fn main() { dep::dep(); println!(env!(\"FROM_CARGO\")); }\n",
	"other-cargo/bin/cargo-where":       "#!/bin/sh\necho of another home\n",
	"other-cargo/config.toml":           "[alias]\nother = \"check\"\n",
}

func TestHomeCargo(t *testing.T) {
	testhome.Needs(t, "cargo")
	u := newHomeUser(t)
	cargo := installedCargo(t)
	for name, content := range cargoFiles {
		u.write(name, content)
	}
	in := "cd ~/work/crate && PATH=" + filepath.Dir(cargo) + ":$PATH && cargo "
	u.same(in+"--list", "chk")
	u.same(in+"where", "a subcommand of mine\n")
	u.same(in+"install --list", "hello-cargo v1.2.3:\n    hello-cargo\n")
	u.same(in+"tree", "dep v1.0.0")
	u.same(in+"metadata --format-version 1 2>/dev/null | tr ',' '\\n' | grep manifest_path", u.home+"/registry/dep/Cargo.toml")

	// what is built in a session is fresh outside, and the other way round
	if outside := u.outside(in + "chk 2>&1 && ls target/debug/.fingerprint | cut -d- -f1"); !strings.Contains(outside, "dep\nmine\n") {
		t.Errorf("cargo check outside made %q", outside)
	}
	u.same(in+"check --verbose 2>&1 | grep -c Fresh", "2\n")
	u.inside("touch ~/work/crate/src/main.rs && " + in + "chk")
	u.same(in+"check --verbose 2>&1 | grep -c Fresh", "2\n")

	// the user's own cargo home stays in use
	u.env = append(u.env, "CARGO_HOME="+filepath.Join(u.home, "other-cargo"))
	u.same(in+"where", "of another home\n")
	u.same(in+"--list", "other")
}

// installedCargo is the first cargo on PATH that works in any home: rustup's stand-in looks for its toolchains in HOME.
func installedCargo(t *testing.T) string {
	t.Helper()
	if out, err := exec.Command("rustup", "which", "cargo").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		cmd := exec.Command(filepath.Join(dir, "cargo"), "--version")
		cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
		if cmd.Run() == nil {
			return cmd.Path
		}
	}
	t.Fatal("no cargo: install it as .ci/run does")
	return ""
}
