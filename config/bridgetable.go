package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// read reads the bridges by their names, and the host commands among them.
func (b *Beside) read(v value) error {
	return v.each(func(name string, of value) error {
		if name != "commands" {
			bridge := Bridge{Name: name}
			err := of.decode(reflect.ValueOf(&bridge).Elem(), "")
			b.Bridges = append(b.Bridges, bridge)
			return err
		}
		return of.each(func(name string, of value) error {
			command := HostCommand{Name: name}
			err := of.decode(reflect.ValueOf(&command).Elem(), "")
			b.Commands = append(b.Commands, command)
			return err
		})
	})
}

const maxBridgeName = 32

// badBridgeName returns what is wrong with the name of a bridge, "" for nothing: it becomes part of a file's name and of a variable's.
func badBridgeName(name string) string {
	if !only(name, letters) || len(name) > maxBridgeName {
		return "the name of a bridge consists of a to z, 0 to 9 and -, 32 at most"
	}
	for _, word := range []string{"key", "secret", "token"} {
		if strings.Contains(name, word) {
			return "codex hides variables with " + strings.ToUpper(word) + " in their name from its commands; choose a name without it"
		}
	}
	return ""
}

// check fills in the defaults of the bridge's kind, refuses a key that the kind lacks and a missing one, and parses the rules.
func (b *Bridge) check(v value) error {
	if defect := badBridgeName(b.Name); defect != "" {
		return v.fail("%s", defect)
	}
	github := b.Kind == BridgeGitHub
	switch {
	case github:
		b.Host = cmp.Or(b.Host, GitHubHost)
		api, prefix := APIHost(b.Host)
		b.Upstream, b.GitUpstream = cmp.Or(b.Upstream, "https://"+api+prefix), cmp.Or(b.GitUpstream, "https://"+b.Host)
		if b.Token.sources() == 0 {
			b.Token.Env = githubToken
		}
	case b.IsLogin():
		upstream, rules := ofLogin(b.Kind)
		b.Upstream, b.Token.Login = cmp.Or(b.Upstream, upstream), b.Token.sources() == 0
		if b.Rules == nil {
			b.Rules = rules
		}
	}
	switch {
	case b.Upstream == "":
		return v.fail("upstream is missing")
	case b.Token.sources() == 0:
		return v.fail("token is missing")
	case b.Header == "" && b.Kind == bridgeHTTP:
		return v.fail("header is missing")
	case b.Header != "" && b.Kind != bridgeHTTP, (b.GitUpstream != "" || b.Host != "" || b.Token.Host) && !github:
		return v.fail("header is for kind http alone; git_upstream, host and token.host are for kind github")
	}
	for _, text := range b.Rules {
		rule, defect := ParseRule(b.Kind, text)
		if defect != "" {
			return v.fail("allow: %q %s", text, defect)
		}
		b.Allow = append(b.Allow, rule)
	}
	return nil
}

// sources returns how many fields of t are set.
func (t *Token) sources() (n int) {
	for _, set := range []bool{t.Env != "", t.File != "", len(t.Command) > 0, t.Host, t.Login} {
		if set {
			n++
		}
	}
	return n
}

// check repeats no value: the secret itself may have been put there.
func (t *Token) check(v value) error {
	if t.sources() != 1 {
		return v.fail("must have exactly one of: command, env, file, host")
	}
	return nil
}

// header returns s if it is "Name: value" with one [TokenMark] in the value.
func (v value) header(s string) (string, error) {
	name, text, ok := strings.Cut(s, ": ")
	switch {
	case !ok || !only(strings.ToLower(name), letters):
		return "", v.fail("must be a header: NAME: VALUE")
	case strings.Count(text, TokenMark) != 1:
		return "", v.fail("must have %s once in its value", TokenMark)
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "", v.fail("has a character that no header may have")
	}
	return s, nil
}

// upstream returns the address of a service without a slash at its end. It must be https, since a secret goes there; http only to this
// machine.
func (v value) upstream(s string) (string, error) {
	s = strings.TrimRight(s, "/")
	scheme, rest, ok := strings.Cut(s, "://")
	host, path, _ := strings.Cut(rest, "/")
	name := host
	if port := strings.LastIndexByte(host, ':'); port > strings.LastIndexByte(host, ']') {
		name = host[:port]
	}
	switch _, defect := SplitPattern("/" + path); {
	case !ok || !IsHost(host) || host[0] == '*':
		return "", v.fail("must be https://HOST, with a port and a path or not, and neither a user nor a password")
	case scheme != "https" && (scheme != "http" || !slices.Contains([]string{"127.0.0.1", "[::1]", "localhost"}, name)):
		return "", v.fail("must begin with https://: a secret goes there, and without it everyone on the way can read it")
	case defect != "" || strings.Contains(path, "*"):
		return "", v.fail("its path must consist of names, without . or .., *, %% or ?")
	}
	return s, nil
}
