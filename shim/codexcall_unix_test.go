//go:build unix

package shim

import (
	"reflect"
	"testing"

	"swop/manager"
)

func TestCodexCall(t *testing.T) {
	for _, tt := range []struct {
		line string
		want manager.CodexCall
	}{
		{"", manager.CodexCall{Dir: "/w"}},
		{"exec hi", manager.CodexCall{Dir: "/w"}},
		{"-c a=b exec -c c=d hi", manager.CodexCall{Dir: "/w", Overrides: []string{"a=b", "c=d"}}},
		{"--config=a=b --config c=d -ce=f -c=g=h", manager.CodexCall{Dir: "/w", Overrides: []string{"a=b", "c=d", "e=f", "g=h"}}},
		{"-p one --profile two --profile=three -pfour", manager.CodexCall{Dir: "/w", Profiles: []string{"one", "two", "three", "four"}}},
		{"-C /x exec hi", manager.CodexCall{Dir: "/x"}},
		{"exec --cd sub hi", manager.CodexCall{Dir: "/w/sub"}},
		{"exec -- -c a=b", manager.CodexCall{Dir: "/w"}},
		{"-c", manager.CodexCall{Dir: "/w"}},
		{"-c -c", manager.CodexCall{Dir: "/w", Overrides: []string{"-c"}}},
	} {
		if got := codexCall(words(tt.line), "/w"); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("codexCall(%q) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}
