package process

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzProcess tries any line of /proc/<pid>/stat, any arguments and any environment, which another program may have chosen: a name with
// parentheses, spaces or escapes must not be taken for another process, and what is shown must be printable.
func FuzzProcess(f *testing.F) {
	const rest = " S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 444 0 0"
	for _, seed := range []string{
		"7 (codex)" + rest, "7 (a) S 9 9 (b)" + rest, "7 ()" + rest, "7 (" + rest, ")7(" + rest, "", "7 (x) Z 1", "7 (\x1b[31m)" + rest, "7 (a\nb)" + rest,
		strings.Replace("7 (x)"+rest, " 1 ", " -1 ", 1), strings.Replace("7 (x)"+rest, "444", "18446744073709551616", 1), "7 (x)" + strings.Repeat(" 9", 5000),
	} {
		f.Add(seed, "codex\x00app-server\x00--listen\x00unix://", "HOME=/a\x00CODEX_HOME=/b\x00HOME=/c")
		f.Add(seed, "\x00app-server\x00pid-update-loop", "CODEX_HOME\x00CODEX_HOME=\x00=\x00CODEX_THREAD_ID=\xff")
	}
	f.Add("", "app-server\x00--listen", "")
	f.Fuzz(func(t *testing.T, stat, args, env string) {
		p, err := parseStat(7, stat)
		if err != nil && p.IsServer() {
			t.Errorf("parseStat(%q) = %+v, %v", stat, p, err)
		}
		if err == nil && (p.PID != 7 || !strings.Contains(stat, "("+p.Command+")")) {
			t.Errorf("parseStat(%q) = %+v", stat, p)
		}
		if text := p.String(); strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("String() = %q, want printable characters only", text)
		}
		p.args = strings.Split(args, "\x00")
		if p.account, p.session, p.exe = true, p.PID, "/bin/codex"; p.IsServer() && !strings.Contains(args, "app-server") {
			t.Errorf("IsServer is true for the arguments %q", args)
		}
		if p.account = false; p.IsServer() {
			t.Errorf("IsServer is true without an account: %+v", p)
		}
		for _, entry := range strings.Split(env, "\x00") {
			p.env.keep([]byte(entry))
		}
		for name, value := range map[string]string{"HOME": p.env.home, "CODEX_HOME": p.env.codexHome, "CODEX_THREAD_ID": p.env.thread} {
			if !strings.Contains("\x00"+env+"\x00", "\x00"+name+"="+value+"\x00") && value != "" {
				t.Errorf("in %q %s is taken for %q", env, name, value)
			}
		}
	})
}
