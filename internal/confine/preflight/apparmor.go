package preflight

import "strings"

// AppArmorProfile returns a profile that lets codex-swop, which is program, and what it starts make user namespaces, and forbids nothing.
func AppArmorProfile(program string) string {
	quoted := program
	for _, special := range []string{`\`, `"`, "*", "?", "[", "]", "{", "}", "^", "@"} {
		quoted = strings.ReplaceAll(quoted, special, `\`+special)
	}
	return `# Lets codex-swop, and what it starts, make user namespaces: it confines sessions in them. It forbids nothing.
abi <abi/4.0>,
include <tunables/global>

profile codex-swop "` + quoted + `" flags=(unconfined) {
  userns,

  include if exists <local/codex-swop>
}
`
}
