package chatgpt

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"swop/internal/account/login"
	"swop/internal/test/testhome"
)

func jwt(t *testing.T, c map[string]any) string {
	text, err := json.Marshal(c)
	testhome.NoError(t, err)
	return "e30." + base64.RawURLEncoding.EncodeToString(text) + ".c2VjcmV0"
}

func authText(t *testing.T, tokens map[string]string) []byte {
	text, err := json.Marshal(map[string]any{"tokens": tokens})
	testhome.NoError(t, err)
	return text
}

// TestStandIn: it has the account's plan and ids, which codex writes into transcripts, and nothing of the tokens; each is another one.
func TestStandIn(t *testing.T) {
	now := time.Now()
	own := map[string]string{"chatgpt_plan_type": "plus", "chatgpt_account_id": "acct", "chatgpt_user_id": "user", "organizations": "x"}
	id := jwt(t, map[string]any{"email": "me@example.com", "exp": 1, "sub": "s", "https://api.openai.com/auth": own})
	access := jwt(t, map[string]any{"exp": 1, "https://api.openai.com/auth": own})
	for name, text := range map[string][]byte{
		"whole":         authText(t, map[string]string{"id_token": id, "access_token": access, "refresh_token": "rt-secret", "account_id": "acct"}),
		"no id token":   authText(t, map[string]string{"access_token": access, "refresh_token": "rt-secret"}),
		"access no JWT": authText(t, map[string]string{"id_token": id, "access_token": "opaque-secret", "refresh_token": "rt-secret"}),
	} {
		t.Run(name, func(t *testing.T) {
			in, err := NewStandIn(text, now, "me@example.com", nil)
			testhome.NoError(t, err)
			again, err := NewStandIn(text, now, "", nil)
			testhome.NoError(t, err)
			if kept, err := NewStandIn(text, now.Add(time.Hour), "me@example.com", in.File); err != nil || string(kept.File) != string(in.File) {
				t.Errorf("an hour later it is another one: %s, %v", kept.File, err)
			}
			if late, err := NewStandIn(text, now.Add(life), "me@example.com", in.File); err != nil || late.Token == in.Token {
				t.Errorf("at its end it is the same: %v", err)
			}
			var file struct {
				Mode    string    `json:"auth_mode"`
				Renewed time.Time `json:"last_refresh"`
				Tokens  map[string]string
			}
			testhome.NoError(t, json.Unmarshal(in.File, &file))
			c := login.Claims[claims](in.Token)
			switch {
			case file.Mode != "chatgpt" || file.Renewed.Before(now.Add(life-time.Hour)) || file.Tokens["refresh_token"] != "" ||
				file.Tokens["account_id"] != "acct":
				t.Errorf("the file is %s", in.File)
			case file.Tokens["access_token"] != in.Token || file.Tokens["id_token"] != in.Token || in.Account != "acct":
				t.Errorf("the file has %v, the account is %q", file.Tokens, in.Account)
			case c.Auth.Account != "acct" || c.Auth.User != "user" || c.Auth.Plan != "plus" || c.Expiry < now.Add(life-time.Hour).Unix() ||
				len(c.Session) < 26:
				t.Errorf("the claims are %+v", c)
			case in.Token == again.Token || c.Email != "me@example.com" || login.Claims[claims](again.Token).Email != "":
				t.Errorf("the second one is %+v", login.Claims[claims](again.Token))
			}
			for _, secret := range []string{"secret", "c2VjcmV0", id, access} {
				if strings.Contains(string(in.File), secret) {
					t.Errorf("it has %q", secret)
				}
			}
		})
	}
	for _, text := range []string{"", "{", "{}", `{"OPENAI_API_KEY":"sk-1"}`, `{"tokens":{"access_token":7}}`, "[]"} {
		if _, err := NewStandIn([]byte(text), now, "", nil); err == nil || strings.Contains(err.Error(), "sk-1") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if in, err := NewStandIn(OfToken(access), now, "", nil); err != nil || in.Account != "acct" {
		t.Errorf("for a token alone: %+v, %v", in, err)
	}
	if _, err := NewStandIn(OfToken("opaque-secret"), now, "", nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("for another token: %v", err)
	}
}
