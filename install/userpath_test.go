package install

import "testing"

func TestUserPath(t *testing.T) {
	const bin = `C:\Users\me\AppData\Local\Programs\swop\bin`
	for _, text := range []string{"", `%USERPROFILE%\bin`, `C:\a;;C:\b;`, `C:\a;%X%`} {
		first := firstOnPath(text, bin)
		if want := bin + ";" + text; text != "" && first != want || text == "" && first != bin {
			t.Errorf("firstOnPath(%q) = %q", text, first)
		}
		if again := firstOnPath(first, bin); again != first {
			t.Errorf("firstOnPath(%q) = %q, want it unchanged", first, again)
		}
		if back := withoutEntry(first, bin); back != text {
			t.Errorf("withoutEntry(%q) = %q, want %q: byte for byte as before", first, back, text)
		}
	}
	if got := firstOnPath(`C:\a;c:\users\ME\appdata\local\programs\SWOP\bin;C:\b`, bin); got != bin+`;C:\a;C:\b` {
		t.Errorf("an entry behind others: %q", got)
	}
}
