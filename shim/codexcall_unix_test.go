//go:build unix

package shim

import (
	"reflect"
	"testing"

	"swop/account"
)

func TestCodexCall(t *testing.T) {
	for _, tt := range []struct {
		line string
		want account.CodexCall
	}{
		{"", account.CodexCall{Dir: "/w"}},
		{"exec hi", account.CodexCall{Dir: "/w"}},
		{"-c a=b exec -c c=d hi", account.CodexCall{Dir: "/w", Overrides: []string{"a=b", "c=d"}}},
		{"--config=a=b --config c=d -ce=f -c=g=h", account.CodexCall{Dir: "/w", Overrides: []string{"a=b", "c=d", "e=f", "g=h"}}},
		{"-p one --profile two --profile=three -pfour", account.CodexCall{Dir: "/w", Profiles: []string{"one", "two", "three", "four"}}},
		{"-C /x exec hi", account.CodexCall{Dir: "/x"}},
		{"exec --cd sub hi", account.CodexCall{Dir: "/w/sub"}},
		{"exec -- -c a=b", account.CodexCall{Dir: "/w"}},
		{"-c", account.CodexCall{Dir: "/w"}},
		{"-c -c", account.CodexCall{Dir: "/w", Overrides: []string{"-c"}}},
	} {
		if got := codexCall(words(tt.line), "/w"); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("codexCall(%q) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}
