//go:build unix

package accounts

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestAddTakes(t *testing.T) {
	for _, tt := range []struct{ args, label, file, login, refused string }{
		{args: "--device-auth work", label: "work", login: "--device-auth"},
		{args: "-- work", label: "work"},
		{args: "work -- --no-login --import x", label: "work", login: "--no-login --import x"},
		{args: "work --state odd", refused: "--state must be shared or private"},
		{args: "-- work --no-login", label: "work", login: "--no-login"},
		{args: "--", refused: "missing LABEL"},
		{args: "work -- other", refused: `unexpected argument "other"`},
		{args: "--import=a work", label: "work", file: "a"},
		{args: "work --import", refused: "flag needs an argument: --import"},
		{args: "work --import=", refused: "--import needs a value"},
	} {
		n, err := taken(t, strings.Fields(tt.args)...)
		if err != nil || tt.refused != "" {
			if err == nil || tt.refused == "" || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("add %q fails with %v, want %q", tt.args, err, tt.refused)
			}
			continue
		}
		if n.label != tt.label || n.file != tt.file || !slices.Equal(n.login, strings.Fields(tt.login)) {
			t.Errorf("add %q = %+v, want label %q, file %q, login %q", tt.args, n, tt.label, tt.file, tt.login)
		}
	}
}

// taken returns what add takes of the arguments.
func taken(t *testing.T, args ...string) (n addition, err error) {
	t.Helper()
	cmd := &cobra.Command{Use: "add"}
	n.addFlags(cmd.Flags())
	err = n.take(cmd, args)
	return n, err
}
