package config

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/test/testfile"
)

// On macOS the configuration lies in Library, unless ~/.config/swop is a directory already; elsewhere always in ~/.config.
func TestConfigDir(t *testing.T) {
	empty, dotfiles, file := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(dotfiles, ".config", "swop"), filepath.Join(file, ".config")} {
		testfile.NoError(t, os.MkdirAll(dir, 0o700))
	}
	testfile.NoError(t, os.WriteFile(filepath.Join(file, ".config", "swop"), nil, 0o600))
	for _, tt := range []struct{ system, home, want string }{
		{"linux", empty, ".config/swop"},
		{"linux", dotfiles, ".config/swop"},
		{"darwin", empty, "Library/Application Support/swop"},
		{"darwin", dotfiles, ".config/swop"},
		{"darwin", file, "Library/Application Support/swop"},
	} {
		if got, want := configDir(tt.system, tt.home), filepath.Join(tt.home, filepath.FromSlash(tt.want)); got != want {
			t.Errorf("configDir(%q, %q) = %q, want %q", tt.system, tt.home, got, want)
		}
	}
}
