package config

import (
	"slices"
	"testing"
)

func TestEnvLookup(t *testing.T) {
	env := Env{"A=1", "AB=2", "EMPTY=", "A=3", "EQ=a=b", "bare", "=x", "AB", "\xff=y"}
	for _, tt := range []struct {
		name, want string
		ok         bool
	}{
		{"A", "1", true},
		{"EMPTY", "", true},
		{"EQ", "a=b", true},
		{"bare", "", false},
		{"a", "", false},
		{"\xff", "y", true},
	} {
		if got, ok := env.Lookup(tt.name); got != tt.want || ok != tt.ok {
			t.Errorf("Lookup(%q) = %q, %t, want %q, %t", tt.name, got, ok, tt.want, tt.ok)
		}
		if got := env.Value(tt.name); got != tt.want {
			t.Errorf("Value(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEnvWith(t *testing.T) {
	for _, tt := range []struct{ env, want, without Env }{
		{nil, Env{"A=x"}, nil},
		{Env{"A=1", "B=1"}, Env{"A=x", "B=1"}, Env{"B=1"}},
		{Env{"B=1", "A=1", "C=1", "A=2", "D=1"}, Env{"B=1", "A=x", "C=1", "D=1"}, Env{"B=1", "C=1", "D=1"}},
		{Env{"AA=1", "A", "=A", "B=A=1"}, Env{"AA=1", "A", "=A", "B=A=1", "A=x"}, Env{"AA=1", "A", "=A", "B=A=1"}},
	} {
		before := slices.Clone(tt.env)
		if got := tt.env.With("A", "x"); !slices.Equal(got, tt.want) {
			t.Errorf("%q.With(A, x) = %q, want %q", tt.env, got, tt.want)
		}
		if got := tt.env.Without("A"); !slices.Equal(got, tt.without) {
			t.Errorf("%q.Without(A) = %q, want %q", tt.env, got, tt.without)
		}
		if !slices.Equal(tt.env, before) {
			t.Errorf("With or Without changed %q to %q", before, tt.env)
		}
	}
}

// What one variant appends must not show in another that grew from the same environment.
func TestEnvCopies(t *testing.T) {
	base := make(Env, 1, 8)
	base[0] = "A=1"
	b, c := base.With("B", "1"), base.With("C", "1")
	if !slices.Equal(b, Env{"A=1", "B=1"}) || !slices.Equal(c, Env{"A=1", "C=1"}) {
		t.Errorf("With gives %q and %q", b, c)
	}
}

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
