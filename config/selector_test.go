package config

import "testing"

func TestSelectorFor(t *testing.T) {
	s := Selector{Account: "general", Directory: []Binding{
		{Path: "/home/me", Account: "me"}, {Path: "/home/me/acme/deep", Account: "deep"}, {Path: "/home/me/acme", Account: "acme"}, {Path: "/srv/a b", Account: "blank"},
	}}
	everywhere := Selector{Directory: []Binding{{Path: "/", Account: "all"}, {Path: "/a", Account: "a"}}}
	for _, tt := range []struct {
		s                Selector
		dir, label, path string
	}{
		{s, "/home/me", "me", "/home/me"},
		{s, "/home/mee", "", ""},
		{s, "/home/me/acme2", "me", "/home/me"},
		{s, "/home/me/acme/x/y", "acme", "/home/me/acme"},
		{s, "/home/me/acme/deep/x", "deep", "/home/me/acme/deep"},
		{everywhere, "/b/c", "all", "/"},
		{everywhere, "/a/c", "a", "/a"},
	} {
		if b := tt.s.For(tt.dir); b.Account != tt.label || b.Path != tt.path {
			t.Errorf("For(%q) = %q, %q, want %q, %q", tt.dir, b.Account, b.Path, tt.label, tt.path)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		path, dir string
		want      bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/ab", "/a", false},
		{"/a", "/a/b", false},
		{"/", "/", true},
		{"/a", "/", true},
		{"/", "/a", false},
	} {
		if got := Within(tt.path, tt.dir); got != tt.want {
			t.Errorf("Within(%q, %q) = %t, want %t", tt.path, tt.dir, got, tt.want)
		}
	}
}
