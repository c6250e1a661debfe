package config

import (
	"slices"
	"testing"
)

func TestCredentials(t *testing.T) {
	env := Env{
		"A=1", "OPENAI_SPIFFE_ID=i", "CODEX_API_KEY=k", "CODEX_ACCESS_TOKEN=", "OPENAI_API_KEY=k", "OPENAI_SPIFFE_=x", "OPENAI_SPIFFE=x",
		"XCODEX_API_KEY=x", "OPENAI_IDENTITY_TOKEN_SOURCE=spiffe", "CODEX_HOME=/h",
	}
	want := []string{"OPENAI_SPIFFE_ID", "CODEX_API_KEY", "OPENAI_SPIFFE_", "OPENAI_IDENTITY_TOKEN_SOURCE"}
	if got := env.Credentials(); !slices.Equal(got, want) {
		t.Errorf("Credentials = %v, want %v", got, want)
	}
	left := Env{"A=1", "OPENAI_SPIFFE=x", "XCODEX_API_KEY=x", "CODEX_HOME=/h"}
	if got := env.WithoutCredentials(); !slices.Equal(got, left) || len(env) != 10 {
		t.Errorf("WithoutCredentials = %q, want %q", got, left)
	}
}
