//go:build unix

package terminal

import (
	"io"
	"sync"
	"time"

	"swop/say"
)

// Progress shows the text on stderr if what follows takes long, until the end of what it returns, which is nil without a terminal.
func (s Streams) Progress(text string) *Progress {
	if !Is(s.Stderr) {
		return nil
	}
	p := &Progress{out: s.Stderr, text: text, columns: func() int {
		if s.Dumb {
			return 0
		}
		return columnsOf(s.Stderr)
	}}
	p.begin()
	return p
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond // as fast as people read numbers
	eraseRest     = "\x1b[K"               // ECMA-48, erase in line
)

// Progress is the last line on a terminal. Lines that are printed meanwhile go through Write, and come before it.
type Progress struct {
	out     io.Writer
	columns func() int // 0 if a line cannot be erased

	mu    sync.Mutex
	timer *time.Timer
	text  string // "" at the end
	shown bool
}

func (p *Progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(progressAfter, p.draw)
}

// Set changes the text.
func (p *Progress) Set(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// draw shows the line as it is now, and again after a while if it can be erased.
func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch columns := p.columns(); {
	case p.text == "":
	case columns == 0:
		say.Line(p.out, "%s, which takes a moment", p.text)
	default:
		p.shown = true
		p.print("\r" + Cut(say.Printable("swop: "+p.text), max(1, columns-1)) + eraseRest)
		p.timer.Reset(progressEvery)
	}
}

// Write replaces the line by text, which is whole lines. The line is drawn again later.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	return p.out.Write(text)
}

// End erases the line for good.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = ""
	p.timer.Stop()
	p.erase()
}

func (p *Progress) erase() {
	if p.shown {
		p.shown = false
		p.print("\r" + eraseRest)
	}
}

func (p *Progress) print(text string) {
	_, _ = io.WriteString(p.out, text) // nobody is left to be told
}
