package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	svg, err := SVG("a <title>", "$ \x1b[1;32mls\x1b[0m\na & b  \x1b[38;5;208mc\x1b[48;2;1;2;3m d\n\x1b[0m\n\n")
	if err != nil {
		t.Fatal(err)
	}
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

func TestCells(t *testing.T) {
	for text, want := range map[string][]cell{
		"":          nil,
		"   ":       nil,
		" a b ":     {{1, "a b"}},
		"a   bé  c": {{0, "a"}, {4, "bé"}, {8, "c"}},
	} {
		if got := cells(text); !slices.Equal(got, want) {
			t.Errorf("cells(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSVGRefuses(t *testing.T) {
	for _, screen := range []string{"\x1b[2J", "\x1b]0;title\x07", "\x1b[5m", "\x1b[38;9m", "\x1b[38;5m", "\x1b[xm", "\x1b"} {
		if svg, err := SVG("", screen); err == nil {
			t.Errorf("SVG(%q) = %q, want an error", screen, svg)
		}
	}
}

func TestStyles(t *testing.T) {
	for codes, want := range map[string]string{
		"":           "",
		"1;2;3;4":    ` font-weight="bold" opacity="0.6" font-style="italic" text-decoration="underline"`,
		"1;22":       "",
		"3;4;23;24":  "",
		"31;39":      "",
		"41;49":      "",
		"97":         ` fill="#ffffff"`,
		"38;5;16":    ` fill="#000000"`,
		"38;5;255":   ` fill="#eeeeee"`,
		"38;5;9":     ` fill="#f08078"`,
		"38;2;0;9;9": ` fill="#000909"`,
	} {
		s, err := style{}.with(codes)
		if got := s.attributes(); err != nil || got != want || s.background != "" {
			t.Errorf("with(%q) = %s, background %q, %v, want %s", codes, got, s.background, err, want)
		}
	}
}
