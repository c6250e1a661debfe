package login

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// jwt returns a token with this payload, signed by nobody.
func jwt(payload string) string {
	enc := base64.RawURLEncoding
	return enc.EncodeToString([]byte(`{"alg":"none"}`)) + "." + enc.EncodeToString([]byte(payload)) + ".sig"
}

// authWith returns an auth.json with this id token.
func authWith(token string) string {
	quoted, _ := json.Marshal(token) // a string always can be
	return `{"OPENAI_API_KEY":null,"tokens":{"id_token":` + string(quoted) + `,"access_token":"at-SECRET","refresh_token":"rt-SECRET"}}`
}

func organizations(list string) string {
	return `{"email":"a@b.c","https://api.openai.com/auth":{"organizations":` + list + `}}`
}

func TestParseLogin(t *testing.T) {
	const plus = `,"https://api.openai.com/auth":{"chatgpt_plan_type":"plus"}`
	chatgpt := Login{Mode: "chatgpt"}
	for _, tt := range []struct {
		name, text string
		want       Login
	}{
		{"empty", "", Login{Mode: "unreadable"}},
		{"half a file", `{"OPENAI_API_KEY":"sk`, Login{Mode: "unreadable"}},
		{"tokens of a wrong type", `{"tokens":[]}`, Login{Mode: "unreadable"}},
		{"null", `null`, Login{Mode: "none"}},
		{"nothing", `{}`, Login{Mode: "none"}},
		{"empty key", `{"OPENAI_API_KEY":""}`, Login{Mode: "none"}},
		{"empty tokens", `{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{"id_token":"","access_token":""},"last_refresh":"2026-01-01"}`, Login{Mode: "none"}},
		{"unknown", `{"agent_identity":{"id":7}}`, Login{Mode: "other"}},
		{"key", ` {"OPENAI_API_KEY":"sk-SECRET"} ` + "\n", Login{Mode: "api-key"}},
		{"e-mail and plan", authWith(jwt(`{"email":"a@b.c"` + plus + `}`)), Login{Mode: "chatgpt", Email: "a@b.c", Plan: "plus"}},
		{"organizations", authWith(jwt(organizations(`[{"title":"A"},{"title":"B","is_default":true}]`))), Login{Mode: "chatgpt", Email: "a@b.c", Organization: "B"}},
		{"one organization", authWith(jwt(organizations(`[{"title":"A\u001b"}]`))), Login{Mode: "chatgpt", Email: "a@b.c", Organization: "A"}},
		{"key and tokens", strings.Replace(authWith(jwt(`{"email":"a@b.c"}`)), "null", `"sk-SECRET"`, 1), Login{Mode: "chatgpt", Email: "a@b.c"}},
		{"e-mail in the profile", authWith(jwt(`{"https://api.openai.com/profile":{"email":"p@b.c"}` + plus + `}`)), Login{Mode: "chatgpt", Email: "p@b.c", Plan: "plus"}},
		{"padded", authWith("x." + base64.URLEncoding.EncodeToString([]byte(`{"email":"a@b.cd"}`)) + ".s"), Login{Mode: "chatgpt", Email: "a@b.cd"}},
		{"no token", `{"tokens":{}}`, Login{Mode: "none"}},
		{"token of a wrong type", `{"tokens":{"id_token":{"email":"a@b.c"}}}`, chatgpt},
		{"no base64", authWith("a.!!!.c"), chatgpt},
		{"claim of a wrong type", authWith(jwt(`{"email":7}`)), chatgpt},
		{"escape sequences", authWith(jwt(`{"email":"\u001b[31ma@b.c\u0007\u0000\r\n\t\u007f\u009b"}`)), Login{Mode: "chatgpt", Email: "[31ma@b.c"}},
		{"bidirectional and invisible", authWith(jwt(`{"email":"a\u202e\u2066\u200b\ufeff\u00a0\u2028@b.c"}`)), Login{Mode: "chatgpt", Email: "a@b.c"}},
		{"long", authWith(jwt(`{"email":"` + strings.Repeat("a", 500) + `"}`)), Login{Mode: "chatgpt", Email: strings.Repeat("a", 120) + "…"}},
		{"long, cut within a letter", authWith(jwt(`{"email":"a` + strings.Repeat("é", 500) + `"}`)), Login{Mode: "chatgpt", Email: "a" + strings.Repeat("é", 59) + "…"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ParseLogin([]byte(tt.text)); got != tt.want {
				t.Errorf("ParseLogin(%.200q)\n = %#v\nwant %#v", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzParseLogin(f *testing.F) {
	for _, payload := range []string{`{"email":"a@b.c"}`, `{"email":"\u001b[31m"}`, "{\"email\":\"\xff\"}", `null`, `{"email":"` + strings.Repeat("é", 99) + `"}`} {
		f.Add([]byte(authWith(jwt(payload))), []byte(payload))
	}
	f.Add([]byte(`{"OPENAI_API_KEY":"sk-SECRET"}`), []byte(`{"https://api.openai.com/auth":{"chatgpt_plan_type":"\u202e"}}`))
	f.Add([]byte(`{"tokens":{"id_token":7}}`), []byte(`{"https://api.openai.com/profile":{"email":"a\u0000"}}`))
	modes := map[string]bool{"chatgpt": true, "api-key": true, "none": true, "other": true, "unreadable": true}
	f.Fuzz(func(t *testing.T, text, payload []byte) {
		for _, auth := range [][]byte{text, []byte(authWith(jwt(string(payload))))} {
			got := ParseLogin(auth)
			if !modes[got.Mode] {
				t.Errorf("ParseLogin(%q) has the mode %q", auth, got.Mode)
			}
			for _, shown := range []string{got.Email, got.Plan} {
				if len(shown) > 120+len("…") || !utf8.ValidString(shown) ||
					strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("ParseLogin(%q) shows %q", auth, shown)
				}
			}
		}
	})
}
