package account

import (
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// HookTrustFile says what codex's configuration said of the user's hooks when that was last the same for the shared home and for the
// account. Its first line is [Account.HookTrustMark].
func (a *Account) HookTrustFile() string { return filepath.Join(a.Dir, "hook-trust") }

// HookTrustMark tells whether the configuration changed, or the account's place.
func (a *Account) HookTrustMark(config string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, a.CodexHome()+"\x00"+config) // it never fails
	return fmt.Sprintf("%016x\n", h.Sum64())
}

// TrustsHooks reports whether the account needs no look at which hooks are trusted in its config.toml: none is, or nothing changed since
// the last look.
func (a *Account) TrustsHooks(config string) bool {
	if !strings.Contains(config, "trusted_hash") {
		return true
	}
	noted, err := disk.ReadFile(a.HookTrustFile(), sys.O_NOFOLLOW, MaxCodexConfig)
	return err == nil && strings.HasPrefix(noted, a.HookTrustMark(config))
}
