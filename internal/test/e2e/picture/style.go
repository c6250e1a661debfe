package picture

import (
	"fmt"
	"strconv"
	"strings"
)

// A style is how text looks. Colours are SVG's, "" is the terminal's own.
type style struct {
	foreground, background         string
	bold, faint, italic, underline bool
}

// palette are the eight colours and their bright kin.
var palette = [16]string{
	"#3b4048", "#e0605a", "#58b368", "#dcaa48", "#5b9bd8", "#b57edc", "#4fb3bf", "#d5d8df",
	"#6f7682", "#f08078", "#7fd08a", "#f0c674", "#82b8ee", "#d0a0f0", "#7fd3dd", "#ffffff",
}

// with returns the style after the codes between "ESC [" and "m".
func (s style) with(codes string) (style, error) {
	numbers, err := parse(codes)
	for len(numbers) > 0 && err == nil {
		n := numbers[0]
		numbers = numbers[1:]
		switch {
		case n == 38 || n == 48:
			var colour string
			if colour, numbers, err = extended(numbers); n == 38 {
				s.foreground = colour
			} else {
				s.background = colour
			}
		default:
			s, err = s.after(n)
		}
	}
	return s, err
}

func parse(codes string) ([]int, error) {
	var numbers []int
	for _, field := range strings.Split(codes, ";") {
		n := 0
		if field != "" {
			var err error
			if n, err = strconv.Atoi(field); err != nil {
				return nil, fmt.Errorf("unknown escape %q", codes)
			}
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func (s style) after(n int) (style, error) {
	switch {
	case n == 0:
		return style{}, nil
	case n == 1:
		s.bold = true
	case n == 2:
		s.faint = true
	case n == 3:
		s.italic = true
	case n == 4:
		s.underline = true
	case n == 22:
		s.bold, s.faint = false, false
	case n == 23:
		s.italic = false
	case n == 24:
		s.underline = false
	case n == 39:
		s.foreground = ""
	case n == 49:
		s.background = ""
	case n >= 30 && n < 38:
		s.foreground = palette[n-30]
	case n >= 40 && n < 48:
		s.background = palette[n-40]
	case n >= 90 && n < 98:
		s.foreground = palette[n-90+8]
	case n >= 100 && n < 108:
		s.background = palette[n-100+8]
	default:
		return s, fmt.Errorf("unknown attribute %d", n)
	}
	return s, nil
}

// extended reads the rest of 38 and 48: 5;N of the 256 colours, or 2;R;G;B.
func extended(numbers []int) (string, []int, error) {
	switch {
	case len(numbers) >= 2 && numbers[0] == 5 && numbers[1] < 256:
		return indexed(numbers[1]), numbers[2:], nil
	case len(numbers) >= 4 && numbers[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", numbers[1], numbers[2], numbers[3]), numbers[4:], nil
	}
	return "", nil, fmt.Errorf("unknown colour %v", numbers)
}

// indexed is one of xterm's 256 colours: 16, a cube of six levels, and 24 greys.
func indexed(n int) string {
	if n < 16 {
		return palette[n]
	}
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	levels := [6]int{0, 95, 135, 175, 215, 255}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", levels[n/36], levels[n/6%6], levels[n%6])
}

// attributes are those of an SVG text.
func (s style) attributes() string {
	text := ""
	if s.foreground != "" {
		text += fmt.Sprintf(" fill=%q", s.foreground)
	}
	if s.bold {
		text += ` font-weight="bold"`
	}
	if s.faint {
		text += ` opacity="0.6"`
	}
	if s.italic {
		text += ` font-style="italic"`
	}
	if s.underline {
		text += ` text-decoration="underline"`
	}
	return text
}
