//go:build unix

package install

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"swop/config"
)

// zdotdirMark comes before the answer, after whatever the user's .zshenv prints.
const zdotdirMark = "\x00swop:"

// zdotdir returns the directory that zsh reads its files from. Most users who set it do so in ~/.zshenv without exporting it, so zsh is asked
// (as rustup's installer does), for at most ten seconds.
func zdotdir(home string, env config.Env) string {
	if dir := env.Value("ZDOTDIR"); filepath.IsAbs(dir) {
		return dir
	}
	zsh := lookPath("zsh", env.Value("PATH"))
	if zsh == "" || !exists(filepath.Join(home, ".zshenv")) {
		return home
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, zsh, "-c", `printf '\0swop:%s' "${ZDOTDIR-}"`)
	cmd.Env = env.Without("ZDOTDIR").With("HOME", home)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return home
	}
	_, dir, _ := strings.Cut(string(out), zdotdirMark)
	if !filepath.IsAbs(dir) {
		return home
	}
	return dir
}
