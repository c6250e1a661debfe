package swop

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What the scripts change is in cobra's own, and none has a line left that completes a program called swop.
func TestScriptEdits(t *testing.T) {
	for _, s := range shells() {
		var text bytes.Buffer
		if err := s.generate(&cobra.Command{Use: "swop"}, &text); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(s.edits); i += 2 {
			if !strings.Contains(text.String(), s.edits[i]) {
				t.Errorf("cobra's script for %s lacks %q", s.name, s.edits[i])
			}
		}
		script := s.script("/no/codex-swop")
		if strings.Count(script, "__complete ") != 1 || !strings.Contains(script, "/no/codex-swop") {
			t.Errorf("the script for %s does not ask codex-swop", s.name)
		}
	}
}
