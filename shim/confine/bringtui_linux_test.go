package confine

import "testing"

func TestWithTUI(t *testing.T) {
	const base = "model = \"x\" # mine\n\n[tui]\ntheme = \"dark\" # mine\nnotifications = true\n\n[projects.\"/a\"]\ntrust_level = \"trusted\"\n"
	for _, tt := range []struct{ name, host, was, now, want string }{
		{"set", base, base, "[tui]\ntheme = \"light\"\nnotifications = true\n", "model = \"x\" # mine\n\n[tui]\n\"theme\" = \"light\"\nnotifications = true\n\n[projects.\"/a\"]\ntrust_level = \"trusted\"\n"},
		{"added", base, base, "[tui]\ntheme = \"dark\"\nnotifications = true\nstatus_line = [\"model\", \"a\\\"b\"]\n", "model = \"x\" # mine\n\n[tui]\n\"status_line\" = [\"model\", \"a\\\"b\"]\ntheme = \"dark\" # mine\nnotifications = true\n\n[projects.\"/a\"]\ntrust_level = \"trusted\"\n"},
		{"removed", base, base, "[tui]\ntheme = \"dark\"\n", "model = \"x\" # mine\n\n[tui]\ntheme = \"dark\" # mine\n\n[projects.\"/a\"]\ntrust_level = \"trusted\"\n"},
		{"the first", "", "", "[tui.seen]\nx = 1\n", "\n[tui]\n\"seen\" = { \"x\" = 1 }\n"},
		{"no end of line", "a = 1", "a = 1", "a = 1\n[tui]\nb = false", "a = 1\n\n[tui]\n\"b\" = false\n"},
		{"both the same", "[tui]\na = 2\n", "[tui]\na = 1\n", "[tui]\na = 2\n", "[tui]\na = 2\n"},
		{"the host has another", "[tui]\na = 3\n", "[tui]\na = 1\n", "[tui]\na = 2\n", ""},
		{"the host has another key too", "[tui]\na = 1\nb = 1\n", "[tui]\na = 1\n", "[tui]\na = 2\n", "[tui]\n\"a\" = 2\nb = 1\n"},
		{"written otherwise", "tui = { a = 1 }\n", "tui = { a = 1 }\n", "tui = { a = 2 }\n", ""},
		{"in lines", "[tui]\na = [\n1,\n]\n", "[tui]\na = [1]\n", "[tui]\na = [2]\n", ""},
		{"in a text", "x = '''\n[tui]\na = 1\n'''\n[tui]\na = 1\n", "[tui]\na = 1\n", "[tui]\na = 2\n", ""},
		{"a program", "", "", "[tui]\nnotify_command = \"evil\"\n", ""},
		{"a program below", "", "", "[tui.x]\nhooks = [\"evil\"]\n", ""},
		{"no TOML", "", "", "[tui\n", ""},
	} {
		got, ok := withTUI(tt.host, tt.was, tt.now)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: %q, %t, want %q", tt.name, got, ok, tt.want)
		}
	}
}
