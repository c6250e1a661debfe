//go:build linux

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// A block is one fenced block of code of a Markdown page. The first word after the fence is its language, by which GitHub colours it;
// the second, if present, is what a reader does with it: the file to write it to, or "not-run"; or how it ends: "exits:4". A table whose
// first column is called "type" is a block of sh, a row for a line.
type block struct {
	line     int // of the opening fence, from 1
	language string
	target   string
	text     string
}

// blocks returns a page's code in its order. Only fences of three backticks at the left are known, so that none is overlooked.
func blocks(page string) ([]block, error) {
	var found []block
	var open *block
	lines := strings.SplitAfter(page, "\n")
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch fence := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"); {
		case open != nil && text == "```":
			found, open = append(found, *open), nil
		case open != nil:
			open.text += line
		case fence:
			var err error
			if open, err = opening(i+1, line); err != nil {
				return nil, err
			}
		case strings.HasPrefix(line, "| type |"):
			found = append(found, block{line: i + 1, language: "sh", text: table(lines[i+2:])})
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block has no end", open.line)
	}
	return found, nil
}

// table returns the first cells of the rows that follow.
func table(rows []string) (text string) {
	for _, row := range rows {
		row, isRow := strings.CutPrefix(row, "| `")
		if !isRow {
			break
		}
		cell, _, _ := strings.Cut(row, "` |")
		text += strings.ReplaceAll(cell, `\|`, "|") + "\n"
	}
	return text
}

func opening(number int, line string) (*block, error) {
	words := strings.Fields(strings.TrimPrefix(line, "```"))
	if !strings.HasPrefix(line, "```") || len(words) < 1 || len(words) > 2 {
		return nil, fmt.Errorf("line %d: a fence is ```LANGUAGE or ```LANGUAGE FILE, not %q", number, line)
	}
	return &block{line: number, language: words[0], target: strings.Join(words[1:], "")}, nil
}

// readPage returns the blocks of a page, named from the root of the repository.
func readPage(t *testing.T, name string) []block {
	t.Helper()
	found, err := blocks(testhome.TextOf(filepath.Join("../../..", name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}
