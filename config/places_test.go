package config

import (
	"runtime"
	"testing"
)

// What can be told from the environment alone is; a test of package file compares it with the full answer.
func TestLocate(t *testing.T) {
	mac := runtime.GOOS == "darwin"
	for _, tt := range []struct {
		env  Env
		want Places // zero: not fast
	}{
		{Env{"HOME=/h", "SWOP_ROOT=/r/", "XDG_CONFIG_HOME=~/c"}, Places{Home: "/h", Root: "/r", Config: "/r"}},
		{Env{"HOME=/h", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/c/"}, Places{Home: "/h", Root: "/s/swop", Config: "/c/swop"}},
		{Env{"HOME=/h", "XDG_STATE_HOME=s", "XDG_CONFIG_HOME=/c"}, Places{Home: "/h", Root: "/h/.swop", Config: "/c/swop"}},
		{Env{"HOME=/h"}, Places{Home: "/h", Root: "/h/.swop", Config: "/h/.config/swop"}},
		{Env{"HOME=/h", "XDG_CONFIG_HOME="}, Places{Home: "/h", Root: "/h/.swop", Config: "/h/.config/swop"}},
		{Env{"HOME=/h", "XDG_CONFIG_HOME=~/c"}, Places{}},
		{Env{"HOME=/h", "XDG_CONFIG_HOME=c"}, Places{}},
		{Env{"HOME=/h", "SWOP_ROOT=r"}, Places{}},
		{Env{"HOME=h", "SWOP_ROOT=/r"}, Places{}},
		{Env{"HOME=", "SWOP_ROOT=/r"}, Places{}},
		{Env{}, Places{}},
	} {
		if mac && tt.want.Config == "/h/.config/swop" {
			tt.want = Places{} // or Library/Application Support
		}
		if got, ok := Locate(tt.env); got != tt.want || ok != (tt.want != Places{}) {
			t.Errorf("Locate(%q) = %+v, %t, want %+v", tt.env, got, ok, tt.want)
		}
	}
}
