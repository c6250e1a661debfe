//go:build unix

package accounts

import (
	"slices"
	"strings"
	"testing"
)

func TestParseAdd(t *testing.T) {
	for _, tt := range []struct{ args, label, file, login, refused string }{
		{args: "work", label: "work"},
		{args: "work --device-auth", label: "work", login: "--device-auth"},
		{args: "--device-auth work", label: "work", login: "--device-auth"},
		{args: "-- work", label: "work"},
		{args: "work --", label: "work"},
		{args: "work -- --no-login --import x", label: "work", login: "--no-login --import x"},
		{args: "work --state odd", refused: "--state must be shared or private"},
		{args: "work -- --device-auth", label: "work", login: "--device-auth"},
		{args: "-- work --no-login", label: "work", login: "--no-login"},
		{args: "--", refused: "missing LABEL"},
		{args: "work -- other", refused: `unexpected argument "other"`},
		{args: "work --import a", label: "work", file: "a"},
		{args: "--import=a work", label: "work", file: "a"},
		{args: "work --import", refused: "--import needs a value"},
		{args: "work --import=", refused: "--import needs a value"},
		{args: "work --from=", refused: "--from needs a value"},
		{args: "work --state= --no-login", refused: "--state needs a value"},
	} {
		n, _, err := parseAdd(strings.Fields(tt.args))
		if err != nil || tt.refused != "" {
			if err == nil || tt.refused == "" || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("parseAdd(%q) fails with %v, want %q", tt.args, err, tt.refused)
			}
			continue
		}
		if n.label != tt.label || n.file != tt.file || !slices.Equal(n.login, strings.Fields(tt.login)) {
			t.Errorf("parseAdd(%q) = %+v, want label %q, file %q, login %q", tt.args, n, tt.label, tt.file, tt.login)
		}
	}
	for _, name := range []string{"--import", "--from", "--state"} { // as of a variable that is not set
		if _, _, err := parseAdd([]string{"work", name, ""}); err == nil {
			t.Errorf("parseAdd takes %s without a value", name)
		}
	}
}
