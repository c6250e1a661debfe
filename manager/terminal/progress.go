package terminal

import (
	"io"
	"time"

	"swop/internal/say"
)

// progressAfter is how long people wait before they wonder.
const progressAfter = time.Second

// Progress says on stderr, if that is a terminal, what is being done if it takes longer than a second, until end is called.
func (s Streams) Progress(doing string) (end func()) {
	if !Is(s.Stderr) {
		return func() {}
	}
	return progress(s.Stderr, doing)
}

func progress(out io.Writer, doing string) (end func()) {
	timer := time.AfterFunc(progressAfter, func() { say.Line(out, "%s, which takes a moment", doing) })
	return func() { timer.Stop() }
}
