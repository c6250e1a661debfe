package chatgpt

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/rpc"
	"swop/internal/disk"
)

// AskedHome is where codex answers as a confined account: the home of its bridged login, or one that has a login while codex is asked.
func AskedHome(a account.Account) string {
	if filepath.Dir(a.AuthFile()) == a.BesideHome() {
		return a.BesideHome()
	}
	return filepath.Join(a.Dir, account.LentDir)
}

// Hold waits until no codex is asked as the account, and lends a login that lies in the home of a confined account. The lock, which is not
// that of sessions, is to go to a codex that can renew the login, and is nil for another one; end gives it up, and takes back what was
// lent. The error for a login that has to be renewed is [rpc.ErrExpired].
func Hold(ctx context.Context, a account.Account) (lock *os.File, end func(), err error) {
	held, err := rpc.Hold(ctx, a.LoginLock())
	if err == nil {
		_ = os.RemoveAll(filepath.Join(a.Dir, account.LentDir)) // of a question that was killed
	}
	home := AskedHome(a)
	if err != nil || a.Meta.Confine == "" || home == a.BesideHome() {
		return held, func() { _ = held.Close() }, err
	}
	end = func() { _, _ = os.RemoveAll(home), held.Close() } // a codex that goes on has read what was lent
	var file *os.File
	var text []byte
	dir, err := disk.OpenBelow(a.Dir, a.CodexHome()) // through no link of a session's
	if err == nil {
		if file, err = dir.OpenFile("auth.json"); err == nil {
			_ = file.SetReadDeadline(time.Now().Add(time.Second)) // of what a session has put in its place, as a FIFO
			text, err = io.ReadAll(io.LimitReader(file, login.MaxAuth))
		}
	}
	_, _ = dir.Close(), file.Close()
	access, _ := accessOf(text) // a key has none
	if expiry := login.Claims[claims](access).Expiry; expiry > 0 && expiry < time.Now().Unix() {
		err = rpc.ErrExpired
	}
	if err == nil {
		err = cmp.Or(disk.MakeDirs(home), os.WriteFile(filepath.Join(home, "auth.json"), lent(text), 0o600))
	}
	if err != nil {
		end()
	}
	return nil, end, err
}

// lent returns an auth.json with the key or the tokens in text alone, which a session may have written, and without what renews them.
func lent(text []byte) []byte {
	var auth struct {
		Key    *string `json:"OPENAI_API_KEY"`
		Tokens *struct {
			ID      any    `json:"id_token"`
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
			Account string `json:"account_id"`
		} `json:"tokens"`
		Renewed time.Time `json:"last_refresh"` // far ahead: 0.92 looks at it
	}
	_ = json.Unmarshal(text, &auth) // what is no login gives none
	if auth.Renewed = time.Now().Add(life).UTC(); auth.Tokens != nil {
		auth.Tokens.Refresh = ""
	}
	out, _ := json.Marshal(auth) // strings are always encoded
	return out
}
