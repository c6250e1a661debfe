package config

import (
	"slices"
	"strings"
)

// Credential is a variable that codex takes a credential from, before it looks at any login.
type Credential struct {
	Name  string
	Since string // the first release of codex that does so
}

// outranking are those variables (tried with 0.59 to 0.171); one with a "_" at its end stands for all whose names begin so. CODEX_API_KEY
// counts in codex exec. The last five are of workload identities: OPENAI_FEDERATION_RULE_ID comes with one of the others, and
// SPIFFE_ENDPOINT_SOCKET alone, which other programs use too, changes nothing.
var outranking = [...]Credential{
	{"CODEX_API_KEY", "0.47"},
	{"CODEX_ACCESS_TOKEN", "0.144"},
	{"OPENAI_FEDERATION_RULE_ID", "0.158"},
	{"OPENAI_IDENTITY_TOKEN_FILE", "0.158"},
	{"OPENAI_IDENTITY_TOKEN_SOURCE", "0.171"},
	{"OPENAI_SPIFFE_", "0.171"},
	{"SPIFFE_ENDPOINT_SOCKET", "0.171"},
}

// fallbackKey has a key that old releases of codex take where there is no login.
const fallbackKey = "OPENAI_API_KEY"

// Credentials returns the variables set in e that outrank any login.
func (e Env) Credentials() (found []Credential) {
	for _, entry := range e {
		name, value, _ := strings.Cut(entry, "=")
		if c, ok := credential(name); ok && value != "" {
			found = append(found, Credential{name, c.Since})
		}
	}
	return found
}

// BringsCredential reports whether e has what codex can work with where there is no login.
func (e Env) BringsCredential() bool { return e.Value(fallbackKey) != "" || len(e.Credentials()) > 0 }

// WithoutCredentials returns e without what codex could take a credential from.
func (e Env) WithoutCredentials() Env {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, ok := credential(name)
		return ok || sameName(name, fallbackKey)
	})
}

// credential returns the row of the variable called name, and whether it has one.
func credential(name string) (Credential, bool) {
	i := slices.IndexFunc(outranking[:], func(c Credential) bool {
		return sameName(name, c.Name) || strings.HasSuffix(c.Name, "_") && len(name) > len(c.Name) && sameName(name[:len(c.Name)], c.Name)
	})
	if i < 0 {
		return Credential{}, false
	}
	return outranking[i], true
}
