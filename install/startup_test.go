//go:build unix

package install

import (
	"slices"
	"strings"
	"testing"
)

func TestStartups(t *testing.T) {
	for _, tt := range []struct {
		name, shell, there, zdotdir string
		mac                         bool
		want                        string
		unknown                     bool
	}{
		{name: "nothing"},
		{name: "bash, nothing there", shell: "/bin/bash", want: ".bashrc .profile"},
		{name: "bash, .profile", shell: "bash", there: ".profile", want: ".bashrc .profile"},
		{name: "bash, .bash_login before .profile", shell: "bash", there: ".profile .bash_login", want: ".bashrc .bash_login .profile"},
		{name: "bash, .bash_profile before all", shell: "bash", there: ".bash_profile .bash_login", want: ".bashrc .bash_profile"},
		{name: "zsh", shell: "/usr/bin/zsh", want: ".zshenv .zshrc"},
		{name: "zsh on a Mac", shell: "zsh", mac: true, want: ".zshenv .zprofile .zshrc"},
		{name: "zsh, all", shell: "zsh", there: ".zlogin .zprofile", want: ".zshenv .zprofile .zshrc .zlogin"},
		{name: "zsh elsewhere", shell: "zsh", zdotdir: "z/", want: "z/.zshenv z/.zshrc"},
		{name: "zsh elsewhere, .zshenv", there: ".zshenv", zdotdir: "z/", want: ".zshenv z/.zshenv z/.zshrc"},
		{name: "fish", shell: "fish", want: "c/fish/conf.d/swop.fish"},
		{name: "fish set up", there: "c/fish c/fish/config.fish", want: "c/fish/conf.d/swop.fish c/fish/config.fish"},
		{name: "sh", shell: "/bin/sh", want: ".profile"},
		{name: "unknown, bash set up", shell: "/bin/tcsh", there: ".bashrc", want: ".bashrc .profile", unknown: true},
		{name: "two shells", shell: "bash", there: ".zshrc", want: ".bashrc .profile .zshenv .zshrc"},
	} {
		there := strings.Fields(tt.there)
		p := place{"/h", "/h/" + tt.zdotdir, "/h/c", tt.mac, func(path string) bool { return slices.Contains(there, strings.TrimPrefix(path, "/h/")) }}
		files, known := p.startups(tt.shell)
		var got []string
		for _, f := range files {
			got = append(got, strings.TrimPrefix(f.path, "/h/"))
		}
		if strings.Join(got, " ") != tt.want || known == tt.unknown {
			t.Errorf("%s: startups(%q) = %q, known %v, want %q, %v", tt.name, tt.shell, got, known, tt.want, !tt.unknown)
		}
		for _, f := range files {
			if !slices.Contains(p.everywhere(), f.path) {
				t.Errorf("%s: uninstall would not look at %s", tt.name, f.path)
			}
		}
	}
}
