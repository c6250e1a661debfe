package supervise

import (
	"strings"
	"testing"
)

func TestBatchLine(t *testing.T) {
	line, err := batchLine(`C:\Windows\System32\cmd.exe`, `C:\npm\codex.cmd`, []string{"exec", `say "hi" & calc`, "100%PATH%", `end\`})
	want := `"C:\Windows\System32\cmd.exe" /e:ON /v:OFF /d /c ""C:\npm\codex.cmd" "exec" "say ""hi"" & calc" "100%%cd:~,%PATH%%cd:~,%" "end\\""`
	if err != nil || line != want {
		t.Errorf("batchLine = %s, %v\nwant        %s", line, err, want)
	}
	if line, err := batchLine("cmd", `C:\%npm%\codex.cmd`, nil); err == nil {
		t.Errorf("batchLine takes a path that cmd would replace: %s", line)
	}
	for _, arg := range []string{"a\nb", "a\rb", "a\x00b"} {
		if line, err := batchLine("cmd", "codex.cmd", []string{arg}); err == nil || !strings.Contains(err.Error(), "line break") {
			t.Errorf("batchLine takes %q: %s, %v", arg, line, err)
		}
	}
}
