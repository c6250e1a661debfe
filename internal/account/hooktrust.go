package account

import (
	"fmt"
	"path/filepath"
	"strings"

	"swop/internal/disk"
)

// HookTrustFile returns the path of the file with the trusted hooks at the last time when the shared home and the account trusted the same.
// Its first line is [Account.HookTrustMark].
func (a *Account) HookTrustFile() string { return filepath.Join(a.Dir, "hook-trust") }

// HookTrustMark returns a digest of the configuration and the account's place.
func (a *Account) HookTrustMark(config string) string {
	return fmt.Sprintf("%016x\n", disk.Sum(a.CodexHome(), "\x00", config))
}

// TrustsHooks reports whether the trusted hooks of the account need no comparison: config.toml has none, or is unchanged since the last
// comparison.
func (a *Account) TrustsHooks(config string) bool {
	if !strings.Contains(config, "trusted_hash") {
		return true
	}
	noted, err := disk.ReadOwn(a.HookTrustFile(), MaxCodexConfig)
	return err == nil && strings.HasPrefix(noted, a.HookTrustMark(config))
}
