//go:build unix

package confined

import (
	_ "embed"
	"slices"
	"strings"

	"swop/config"
)

// agents is a paragraph for AGENTS.md, by which an agent knows what it can ask for.
//
//go:embed agents.md
var agents string

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
