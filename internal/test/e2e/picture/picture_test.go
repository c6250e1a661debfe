package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

func TestSVG(t *testing.T) {
	svg, err := SVG("a <title>", "$ \x1b[1;32mls\x1b[0m\na & b  \x1b[38;5;208mc\x1b[48;2;1;2;3m d\n\x1b[0m\n\n")
	testhome.NoError(t, err)
	for _, want := range []string{
		"<title>a &lt;title&gt;</title>",
		`<text x="18.0" y="50" textLength="8.4">$</text>`,
		`<text x="34.8" y="50" fill="#58b368" font-weight="bold" textLength="16.8">ls</text>`,
		`>a &amp; b</text>`,
		`<text x="76.8" y="70" fill="#ff8700" textLength="8.4">c</text>`,
		`<text x="93.6" y="70" fill="#ff8700" textLength="8.4">d</text>`,
		`<rect x="85.2" y="55" width="16.8" height="20" fill="#010203"/>`,
		`height="90"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("SVG has no %s:\n%s", want, svg)
		}
	}
	if err := wellFormed(svg); err != nil {
		t.Errorf("SVG is no XML: %v\n%s", err, svg)
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
