package verb

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"swop/internal/say"
)

// Line prints text for people.
func Line(out io.Writer, text string) error {
	_, err := fmt.Fprintln(out, say.Printable(text))
	return err
}

// JSONFlag gives a verb the flag --json.
func (c *Call) JSONFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print JSON")
}

// Answer returns the RunE of a verb that prints the answer of ask: see [With] and [Print].
func Answer[T any](open func() (Setup, error), ask func(Setup) (T, error), show func(*Call, T) error) func(*cobra.Command, []string) error {
	return With(open, func(s Setup, _ []string) error {
		answer, err := ask(s)
		if err != nil {
			return err
		}
		return Print(s.Call, answer, show)
	})
}

// Print prints the answer of a verb: with --json as JSON, else by show, for people.
func Print[T any](call *Call, answer T, show func(*Call, T) error) error {
	if call.JSON {
		return WriteJSON(call.Stdout, answer)
	}
	return show(call, answer)
}

// WriteJSON prints v for programs: indented, without HTML's escapes, and with escapes for all characters that are not printable.
// encoding/json escapes only below U+0020, but a terminal also takes U+009B for the beginning of a command.
func WriteJSON(out io.Writer, v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	var b []byte
	for _, r := range text.String() {
		if unicode.IsPrint(r) || r == '\n' {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) { // outside of strings all is printable
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	_, err := out.Write(b)
	return err
}
