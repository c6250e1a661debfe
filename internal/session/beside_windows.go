package session

import (
	"errors"

	"swop/internal/account"
	"swop/internal/say"
	"swop/shim"
)

// NotHere is the error of a part that Windows does not have.
func NotHere(what string) error {
	return say.WithHint(errors.New(what+" needs Linux or macOS"), "install codex and swop in WSL: wsl --install")
}

func (*running) openBridges() error            { return NotHere("a bridge") }
func inheritBridges(*shim.Decision, bool) bool { return false }

func hasSession(account.Account) bool { return false }
