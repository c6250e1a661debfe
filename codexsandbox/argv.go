//go:build unix

package codexsandbox

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
)

// Platform is the system whose sandbox to use. The zero Platform is the host's; "seatbelt" is macOS, "landlock" is Linux.
type Platform string

// The platforms.
const (
	MacOS   Platform = "macos"
	Linux   Platform = "linux"
	Windows Platform = "windows"
)

// system returns the platform that p names: codex itself calls those of macOS and Linux seatbelt and landlock, too.
func (p Platform) system() Platform {
	switch p {
	case "seatbelt":
		return MacOS
	case "landlock":
		return Linux
	}
	return p
}

// host returns the platform that this program was built for.
func host() Platform { return Platform(strings.Replace(runtime.GOOS, "darwin", string(MacOS), 1)) }

// The minor numbers of the releases that changed the command line. Between the two numbers that a comment names no release was published,
// or none was examined.
const (
	sinceSubcommands = 45  // `sandbox macos|linux`; 0.44 has only `debug seatbelt|landlock`, which works until 0.92
	sinceFeatures    = 47  // --enable and --disable; 0.45 has none
	sinceWindows     = 53  // `sandbox windows`; 0.50 has none
	sinceDenials     = 58  // --log-denials; 0.57 has none
	sinceProfiles    = 115 // default_permissions in config.toml chooses the sandbox: 0.116 reads it, 0.114 does not
	sinceMode        = 128 // no --full-auto, and sandbox_mode is read from --config; 0.125 is the other way round
	sinceOneCommand  = 134 // no word for the platform; 0.133 has one
	sinceShortFlag   = 139 // -P; the long flag is --permissions-profile in 0.134 and --permission-profile in 0.169
)

// args returns codex's argument vector for the request on such a host. The error says what the release cannot do.
func (r Request) args(release Release, host Platform) ([]string, error) {
	platform := cmp.Or(r.Platform.system(), host)
	if err := r.supported(release, platform, host); err != nil {
		return nil, err
	}
	args := append([]string{"codex"}, subcommand(release, platform)...)
	args = append(args, r.modeArgs(release)...)
	for _, override := range r.ConfigOverrides {
		args = append(args, "--config", override)
	}
	for _, name := range r.Enable {
		args = append(args, "--enable", name)
	}
	for _, name := range r.Disable {
		args = append(args, "--disable", name)
	}
	if r.LogDenials && platform == MacOS {
		args = append(args, "--log-denials")
	}
	// Without "--" a command that begins with a dash is a flag, and since 0.169 `help` and `uninstall` are subcommands.
	return append(append(args, "--"), r.Command...), nil
}

// subcommand returns the words for a sandbox of the platform.
func subcommand(release Release, platform Platform) []string {
	switch {
	case release.Before(sinceSubcommands) && platform == MacOS:
		return []string{"debug", "seatbelt"}
	case release.Before(sinceSubcommands):
		return []string{"debug", "landlock"}
	case release.Before(sinceOneCommand):
		return []string{"sandbox", string(platform)}
	}
	return []string{"sandbox"}
}

// modeArgs returns the flags that make the sandbox what the request says, whatever config.toml says: up to 0.133 full-auto uses its
// network_access and writable_roots in sandbox_workspace_write, and default_permissions counts unless a flag chooses the sandbox.
func (r Request) modeArgs(release Release) []string {
	profile := "-P"
	if release.Before(sinceShortFlag) {
		profile = "--permissions-profile"
	}
	switch {
	case r.FullAuto && release.Before(sinceMode):
		return append(workspaceArgs(), "--full-auto")
	case r.FullAuto && release.Before(sinceOneCommand):
		return append(workspaceArgs(), "--config", `sandbox_mode="workspace-write"`)
	case r.FullAuto:
		return []string{profile, ":workspace"}
	case release.Before(sinceProfiles):
		return nil
	case release.Before(sinceOneCommand):
		return []string{"--config", `sandbox_mode="read-only"`}
	}
	return []string{profile, ":read-only"}
}

func workspaceArgs() []string {
	const table = "sandbox_workspace_write."
	return []string{
		"--config", table + "network_access=false", "--config", table + "writable_roots=[]",
		"--config", table + "exclude_tmpdir_env_var=false", "--config", table + "exclude_slash_tmp=false",
	}
}

// supported returns an error if the release cannot do what is requested.
func (r Request) supported(release Release, platform, host Platform) error {
	feature := ""
	switch {
	case platform == Windows && release.Before(sinceWindows):
		feature = "a sandbox for windows"
	case platform != host && !release.Before(sinceOneCommand):
		feature = fmt.Sprintf("the sandbox of %s on %s", platform, host)
	case len(r.Enable)+len(r.Disable) > 0 && release.Before(sinceFeatures):
		feature = "enabling and disabling of features"
	case r.LogDenials && platform == MacOS && release.Before(sinceDenials):
		feature = "a log of denials"
	default:
		return nil
	}
	return fmt.Errorf("codex %s does not support %s", release, feature)
}
