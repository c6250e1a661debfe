//go:build unix

package install

import (
	"path/filepath"
	"strings"

	"swop/config"
	"swop/say"
)

// DefaultPrefix returns $XDG_DATA_HOME/swop, or ~/.local/share/swop where the variable is unset or relative.
func DefaultPrefix(home string, env config.Env) string {
	if data := env.Value("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "swop")
	}
	return filepath.Join(home, ".local", "share", "swop")
}

// PrefixOf returns the prefix that the program at executable is installed in, "" if it is not installed.
func PrefixOf(executable string) string {
	bin := filepath.Dir(executable)
	if prefix := filepath.Dir(bin); filepath.Base(bin) == "bin" && exists(recordFile(prefix)) {
		return prefix
	}
	return ""
}

// checkPrefix refuses a prefix that an entry of PATH cannot hold.
func checkPrefix(prefix string) error {
	const hint = "./install.sh --prefix DIR"
	switch {
	case !filepath.IsAbs(prefix):
		return say.WithHint(usage("the prefix %q is not an absolute path", prefix), hint)
	case strings.ContainsAny(prefix, string(filepath.ListSeparator)+"\n\r\x00"):
		return say.WithHint(usage("the prefix %q has a character that PATH cannot hold", prefix), hint)
	}
	return nil
}
