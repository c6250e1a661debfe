package install

import "bytes"

// The ends of swop's line say what the file was like before, so that it can be restored byte for byte.
const (
	ours      = " # swop"
	noNewline = " # swop; before it, the file did not end in a newline"
	noFile    = " # swop; before it, there was no file"
)

// withoutLine returns text as it was before the line was added, and what that line ended with, "" if it is not there. Only the exact line
// is swop's.
func withoutLine(text []byte, line string) (out []byte, end string) {
	rest := text
	for l := range bytes.Lines(text) {
		rest = rest[len(l):]
		found := ""
		for _, e := range []string{ours, noNewline, noFile} {
			if string(bytes.TrimSuffix(l, []byte("\n"))) == line+e {
				found = e
			}
		}
		if found == "" {
			out = append(out, l...)
			continue
		}
		if end = found; end == noNewline && len(rest) == 0 {
			out = bytes.TrimSuffix(out, []byte("\n"))
		}
	}
	return out, end
}

// withLine returns text with the line at its end, after the lines of other tools. before is what withoutLine found.
func withLine(text []byte, line, before string, exists bool) []byte {
	out, end := bytes.Clone(text), ours
	if len(text) > 0 && text[len(text)-1] != '\n' {
		out, end = append(out, '\n'), noNewline
	}
	if !exists || before == noFile {
		end = noFile
	}
	return append(out, line+end+"\n"...)
}
