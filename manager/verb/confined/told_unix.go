//go:build unix

package confined

import (
	"slices"
	"strings"

	"swop/config"
)

// agents is a paragraph for AGENTS.md, by which an agent knows what it can ask for.
const agents = `## What is refused here

This session may run in a sandbox: ` + "`codex swop confine`" + ` shows what it may do. What is refused is no defect, and not to be worked around.
Ask the user for it, in a command that runs outside of your own sandbox, and wait for the answer:

| what is refused | what to run |
|---|---|
| "Read-only file system" when something is written | ` + "`codex swop ask --write PATH --reason 'what for' -- COMMAND`" + ` |
| the same for ".git/index.lock", when you commit | ` + "`codex swop ask --write .git --reason 'what for' -- git commit …`" + ` |
| a host: "403", "is not in the list of hosts", no answer at all | ` + "`codex swop ask --connect HOST:443 --reason 'what for' -- COMMAND`" + ` |
| a file of the user's, as in ~/.aws, is missing | ` + "`codex swop ask --read PATH --reason 'what for' -- COMMAND`" + ` |
| a bridge answers "403" | ` + "`codex swop ask --bridge NAME 'RULE' --reason 'what for' -- COMMAND`" + ` |

COMMAND runs if the user says yes. Status 4 means no, or no answer: do not ask for the same again.
`

// secretVariables returns the names of the variables that look like secrets, and that a session gets: swop takes those of bridges away.
func secretVariables(env config.Env, bridges []string) []string {
	names := []string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && looksSecret(name) && !slices.Contains(bridges, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// looksSecret reports whether a variable's name has a word that such names have: OPENAI_API_KEY, PGPASSWORD, GITHUB_TOKEN.
func looksSecret(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return word == "KEY" || word == "PAT" || word == "PASS" }) ||
		slices.ContainsFunc([]string{"APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"}, func(part string) bool {
			return strings.Contains(name, part)
		})
}
