//go:build unix

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"swop/account"
	"swop/home/mirror"
	"swop/say"
	"swop/session"
)

// reconcile completes the account's sandbox.
func (a *app) reconcile(s setup, acct account.Account, how mirror.Options) error {
	o := session.PrepareOptions{Stderr: a.stderr}
	defer a.watch(acct.Meta.Label, &o)()
	how.Progress = o.Progress
	return mirror.Reconcile(s.store, acct, s.Root, s.settings, how, o.Say)
}

// watch shows on a terminal how far the preparation of an account, or of all where label is "", has come, if it takes long: the first time in
// a huge home, on a slow disk, or while another codex does it.
func (a *app) watch(label string, o *session.PrepareOptions) (end func()) {
	text := fmt.Sprintf("preparing the account %q", label)
	if label == "" {
		text = "updating the accounts that ran since the last time"
	}
	p := a.progress(text)
	if p == nil {
		return func() {}
	}
	o.Stderr = p
	o.Progress = func(done, among int) {
		p.set(fmt.Sprintf("linking %d of %d entries into the account %q", done, among, label))
	}
	return p.end
}

// progress shows the text on a terminal if what follows takes long, until the end of what it returns, which is nil without a terminal.
func (a *app) progress(text string) *progress {
	if !isTerminal(a.stderr) {
		return nil
	}
	p := &progress{out: a.stderr, text: text, columns: func() int {
		if a.isDumb() {
			return 0
		}
		return columnsOf(a.stderr)
	}}
	p.begin()
	return p
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond // as fast as people read numbers
	eraseRest     = "\x1b[K"               // ECMA-48, erase in line
)

// progress is the last line on a terminal. Lines that are printed meanwhile go through Write, and come before it.
type progress struct {
	out     io.Writer
	columns func() int // 0 if a line cannot be erased

	mu    sync.Mutex
	timer *time.Timer
	text  string // "" at the end
	shown bool
}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(progressAfter, p.draw)
}

func (p *progress) set(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// draw shows the line as it is now, and again after a while if it can be erased.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch columns := p.columns(); {
	case p.text == "":
	case columns == 0:
		say.Line(p.out, "%s, which takes a moment", p.text)
	default:
		p.shown = true
		p.print("\r" + cut(say.Printable("swop: "+p.text), max(1, columns-1)) + eraseRest)
		p.timer.Reset(progressEvery)
	}
}

// Write replaces the line by text, which is whole lines. The line is drawn again later.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	return p.out.Write(text)
}

// end erases the line for good.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = ""
	p.timer.Stop()
	p.erase()
}

func (p *progress) erase() {
	if p.shown {
		p.shown = false
		p.print("\r" + eraseRest)
	}
}

func (p *progress) print(text string) {
	_, _ = io.WriteString(p.out, text) // nobody is left to be told
}
