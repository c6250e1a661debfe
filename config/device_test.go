package config

import "testing"

// On Windows these are refused as labels; elsewhere they are names like others.
func TestIsDeviceName(t *testing.T) {
	for key, want := range map[string]bool{
		"con": true, "prn": true, "aux": true, "nul": true, "com0": true, "com1": true, "com9": true, "lpt1": true,
		"con-1": false, "com": false, "com10": false, "comx": false, "lpt": false, "nul-l": false, "work": false, "console": false,
	} {
		if got := IsDeviceName(key); got != want {
			t.Errorf("IsDeviceName(%q) = %t", key, got)
		}
	}
}
