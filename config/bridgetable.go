package config

import (
	"cmp"
	"path/filepath"
	"strings"
)

// bridges reads a table of bridges by name, and the host commands in it.
func (v value) bridges(list *Bridges, commands *[]HostCommand) error {
	return v.each(func(name string, of value) error {
		if name == hostCommands {
			return into(commands, value.commands)(of)
		}
		if defect := badBridgeName(name); defect != "" {
			return of.fail("%s", defect)
		}
		b, err := bridge(of, name)
		*list = append(*list, b)
		return err
	})
}

const maxBridgeName = 32

// filtered are words that codex takes for signs of a secret in the name of a variable: its commands would not get it.
var filtered = [...]string{"key", "secret", "token"}

// badBridgeName says what is wrong with the name of a bridge, which becomes part of a file's and of a variable's.
func badBridgeName(name string) string {
	switch {
	case name == "" || len(name) > maxBridgeName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return "the name of a bridge consists of a to z, 0 to 9 and -, 32 at most"
	}
	for _, word := range filtered {
		if strings.Contains(name, word) {
			return "codex hides variables with " + strings.ToUpper(word) + " in their name from its commands; choose a name without it"
		}
	}
	return ""
}

// bridge reads the keys of [bridge.NAME].
func bridge(v value, name string) (Bridge, error) {
	b := Bridge{Name: name}
	var allow []string
	err := v.fields(
		field{"allow", into(&allow, listOf(value.text))},
		field{"git_upstream", into(&b.GitUpstream, value.upstream)},
		field{"header", into(&b.Header, value.header)},
		field{"host", into(&b.Host, value.hostName)},
		field{"kind", into(&b.Kind, oneOf(BridgeHTTP, BridgeGitHub, BridgeOpenAI, BridgeChatGPT))},
		field{"token", into(&b.Token, value.token)},
		field{"upstream", into(&b.Upstream, value.upstream)},
	)
	if err != nil {
		return b, err
	}
	if err := complete(v, &b); err != nil {
		return b, err
	}
	if b.IsLogin() && allow == nil {
		_, allow = ofLogin(b.Kind)
	}
	b.Allow, err = rules(v.child("allow"), b.Kind, allow)
	return b, err
}

// complete fills in what a bridge of its kind has, and refuses what it cannot have, or needs and does not have.
func complete(v value, b *Bridge) error {
	github := b.Kind == BridgeGitHub
	if github {
		b.fillGitHub()
		if b.Token.isZero() {
			b.Token.Env = GitHubToken
		}
	}
	if b.IsLogin() {
		upstream, _ := ofLogin(b.Kind)
		b.Upstream, b.Token.Login = cmp.Or(b.Upstream, upstream), b.Token.isZero()
	}
	for _, key := range [...]struct {
		name           string
		absent, needed bool
	}{
		{"kind", b.Kind == "", true},
		{"upstream", b.Upstream == "", true},
		{"token", b.Token.isZero(), true},
		{"token.host", !b.Token.Host, b.Token.Host && github},
		{"header", b.Header == "", b.Kind == BridgeHTTP},
		{"git_upstream", b.GitUpstream == "", github},
		{"host", b.Host == "", github},
	} {
		switch {
		case key.absent && key.needed:
			return v.fail("%s is missing", key.name)
		case !key.absent && !key.needed:
			return v.fail("%s is not for a bridge of this kind", key.name)
		}
	}
	return nil
}

func (t *Token) isZero() bool {
	return t.Env == "" && t.File == "" && len(t.Command) == 0 && !t.Host && !t.Login
}

// token reads where a secret comes from. A message never repeats a value: the secret itself may have been put there.
func (v value) token() (t Token, err error) {
	given := 0
	one := func(read func(value) error) func(value) error {
		return func(v value) error {
			given++
			return read(v)
		}
	}
	err = v.fields(
		field{"command", one(into(&t.Command, value.command))},
		field{"env", one(into(&t.Env, value.variable))},
		field{"file", one(into(&t.File, value.tokenFile))},
		field{"host", one(into(&t.Host, value.yes))},
	)
	if err == nil && given != 1 {
		err = v.fail("must have exactly one of: command, env, file, host")
	}
	return t, err
}

// yes reads true. What is not wanted is left out.
func (v value) yes() (bool, error) {
	yes, ok := v.any.(bool)
	switch {
	case !ok:
		return false, v.mustBe("true")
	case !yes:
		return false, v.fail("must be true, or the key removed")
	}
	return true, nil
}

// variable reads the name of an environment variable.
func (v value) variable() (string, error) {
	s, err := v.text()
	if err == nil && (strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || s[0] <= '9') {
		err = v.fail("is not the name of a variable: A to Z, 0 to 9 and _, not a digit first")
	}
	return s, err
}

// tokenFile reads a path that is absolute, or below the home with "~/".
func (v value) tokenFile() (string, error) {
	s, err := v.text()
	if err == nil && !filepath.IsAbs(s) && !strings.HasPrefix(s, "~/") {
		err = v.fail("must be an absolute path, or begin with ~/")
	}
	return s, err
}

// command reads a program and its arguments.
func (v value) command() ([]string, error) {
	words, err := listOf(value.text)(v)
	if err == nil && len(words) == 0 {
		err = v.fail("is empty; it needs a program")
	}
	return words, err
}

// header reads "Name: value" with one {token} in the value.
func (v value) header() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	name, text, ok := strings.Cut(s, ": ")
	switch {
	case !ok || !only(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-"):
		return "", v.fail("must be a header: NAME: VALUE")
	case strings.Count(text, TokenMark) != 1:
		return "", v.fail("must have %s once in its value", TokenMark)
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "", v.fail("has a character that no header may have")
	}
	return s, nil
}

// upstream reads the address of a service, and returns it without a slash at its end. It is https, since a secret goes there; http only to
// this machine.
func (v value) upstream() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	scheme, rest, ok := strings.Cut(s, "://")
	host, path, _ := strings.Cut(strings.TrimRight(rest, "/"), "/")
	switch {
	case !ok || scheme != "https" && scheme != "http":
		return "", v.fail("must begin with https://")
	case !isOneHost(host):
		return "", v.fail("must have a host, with a port or not, and neither a user nor a password")
	case scheme == "http" && !isLoopback(host):
		return "", v.fail("must begin with https://: a secret goes there, and without it everyone on the way can read it")
	}
	if path = "/" + path; path == "/" {
		return scheme + "://" + host, nil
	}
	if _, defect := SplitPattern(path); defect != "" || strings.ContainsRune(path, '*') {
		return "", v.fail("its path must consist of names, without . or .., *, %% or ?")
	}
	return scheme + "://" + host + path, nil
}

// hostName reads the name of a host, with a port or not.
func (v value) hostName() (string, error) {
	s, err := v.text()
	if err == nil && !isOneHost(s) {
		err = v.fail("must be a host, such as github.example.com")
	}
	return s, err
}

// isOneHost reports whether s is one host, with a port or not.
func isOneHost(s string) bool { return IsHost(s) && s[0] != '*' }

func isLoopback(host string) bool {
	for _, name := range [...]string{"127.0.0.1", "[::1]", "localhost"} {
		if rest, ok := strings.CutPrefix(host, name); ok && (rest == "" || rest[0] == ':') {
			return true
		}
	}
	return false
}
