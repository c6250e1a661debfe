package config

import (
	"slices"
	"strings"
)

// outranking are variables that codex takes a credential from before it looks at any login (tried with 0.59 to 0.171); one with a "_" at
// its end stands for all whose names begin so. CODEX_API_KEY counts in codex exec. The last five are of workload identities:
// OPENAI_FEDERATION_RULE_ID comes with one of the others, and SPIFFE_ENDPOINT_SOCKET alone, which other programs use too, changes nothing.
var outranking = [...]string{
	"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_FEDERATION_RULE_ID", "OPENAI_IDENTITY_TOKEN_FILE", "OPENAI_IDENTITY_TOKEN_SOURCE",
	"OPENAI_SPIFFE_", "SPIFFE_ENDPOINT_SOCKET",
}

// fallbackKey has a key that old releases of codex take where there is no login.
const fallbackKey = "OPENAI_API_KEY"

// Credentials returns the names of the variables set in e that outrank any login.
func (e Env) Credentials() (names []string) {
	for _, entry := range e {
		if name, value, _ := strings.Cut(entry, "="); outranks(name) && value != "" {
			names = append(names, name)
		}
	}
	return names
}

// WithoutCredentials returns e without what codex could take a credential from.
func (e Env) WithoutCredentials() Env {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return outranks(name) || sameName(name, fallbackKey)
	})
}

func outranks(name string) bool {
	return slices.ContainsFunc(outranking[:], func(o string) bool {
		return sameName(name, o) || strings.HasSuffix(o, "_") && len(name) > len(o) && sameName(name[:len(o)], o)
	})
}
