package child

import (
	"strings"
	"testing"
)

// What a C program reads back: https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments has these and more.
func TestQuoteArgument(t *testing.T) {
	for arg, want := range map[string]string{
		"":          `""`,
		"a":         "a",
		"a b":       `"a b"`,
		`a\b`:       `a\b`,
		`a b\`:      `"a b\\"`,
		`a\\b c`:    `"a\\b c"`,
		`"`:         `"\""`,
		`\"`:        `"\\\""`,
		`a\\" b`:    `"a\\\\\" b"`,
		"tab\there": "\"tab\there\"",
		"%PATH%":    "%PATH%",
	} {
		if got := quoteArgument(arg); got != want {
			t.Errorf("quoteArgument(%q) = %s, want %s", arg, got, want)
		}
	}
}

func TestBatchLine(t *testing.T) {
	line, err := batchLine(`C:\Windows\System32\cmd.exe`, `C:\npm\codex.cmd`, []string{"exec", `say "hi" & calc`, "100%PATH%", `end\`})
	want := `"C:\Windows\System32\cmd.exe" /e:ON /v:OFF /d /c ""C:\npm\codex.cmd" "exec" "say ""hi"" & calc" "100%%cd:~,%PATH%%cd:~,%" "end\\""`
	if err != nil || line != want {
		t.Errorf("batchLine = %s, %v\nwant        %s", line, err, want)
	}
	for _, arg := range []string{"a\nb", "a\rb", "a\x00b"} {
		if line, err := batchLine("cmd", "codex.cmd", []string{arg}); err == nil || !strings.Contains(err.Error(), "line break") {
			t.Errorf("batchLine takes %q: %s, %v", arg, line, err)
		}
	}
}
