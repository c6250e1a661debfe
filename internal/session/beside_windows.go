package session

import (
	"errors"

	"swop/config"
	"swop/internal/account"
	"swop/internal/say"
	"swop/shim"
)

// NotHere is the error of a part that Windows does not have.
func NotHere(what string) error {
	return say.WithHint(errors.New(what+" needs Linux or macOS"), "install codex and swop in WSL: wsl --install")
}

// staysParent says whether codex is a child of swop in any case: there is no exec.
const staysParent = true

// Windows has no bridges.
type bridgeSession struct{}

func (*running) openBridges() error       { return NotHere("a bridge") }
func keepsLogin(config.Bridges) bool      { return false }
func usesOuter(*shim.Decision) bool       { return false }
func inheritBridges(*shim.Decision, bool) {}

// BridgesOf returns no bridges.
func BridgesOf(config.Settings, account.Account) config.Bridges { return nil }

func hasSession(account.Account) bool { return false }
