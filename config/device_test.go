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

// What Windows takes for another name, by capitals or by what it leaves out at the end, is one key, or none.
func TestKeysOfWindows(t *testing.T) {
	for label, want := range map[string]string{"Work": "work", "WORK": "work", "work.": "", "work ": "", "work...": "", "nul.txt": "", "a:b": "", `a\b`: "", "a/b": "", "a?": ""} {
		if got, err := Key(label); got != want || (err == nil) != (want != "") {
			t.Errorf("Key(%q) = %q, %v, want %q", label, got, err, want)
		}
	}
}
