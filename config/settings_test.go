package config

import (
	"reflect"
	"testing"
)

func TestSettingsFor(t *testing.T) {
	general := make([]string, 1, 8) // room to grow into: two accounts must not share it
	general[0] = "g"
	s := Settings{
		AccountSettings: AccountSettings{Isolation: IsolateHome, Private: Private{CodexHome: general, Home: general}},
		Accounts: map[string]AccountSettings{
			"a": {Isolation: IsolateCodexHome, Private: Private{CodexHome: []string{"a1"}, Home: []string{"a2"}}},
			"b": {Private: Private{CodexHome: []string{"b1"}}},
		},
	}
	for _, tt := range []struct {
		key, isolation string
		private        Private
	}{
		{"none", IsolateHome, Private{CodexHome: []string{"g"}, Home: []string{"g"}}},
		{"a", IsolateCodexHome, Private{CodexHome: []string{"g", "a1"}, Home: []string{"g", "a2"}}},
		{"b", IsolateHome, Private{CodexHome: []string{"g", "b1"}, Home: []string{"g"}}},
	} {
		isolation, private := s.For(tt.key)
		s.For("a")
		s.For("b")
		if isolation != tt.isolation || !reflect.DeepEqual(private, tt.private) {
			t.Errorf("For(%q) = %q, %q, want %q, %q", tt.key, isolation, private, tt.isolation, tt.private)
		}
	}
}
