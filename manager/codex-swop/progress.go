//go:build unix

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"swop/manager/account"
	"swop/manager/projection"
	"swop/say"
	"swop/shim/session"
)

// reconcile makes the account's sandbox whole.
func (a *app) reconcile(s scene, acct account.Account, quiet projection.Options) error {
	m := session.PrepareOptions{Stderr: a.stderr}
	defer a.watch(acct.Meta.Label, &m)()
	quiet.Progress = m.Progress
	return projection.Reconcile(s.store, acct, s.Root, s.settings, quiet, m.Say)
}

// watch tells the person at the terminal, if there is one, how far the making ready of an account, or of all where label is "", has come, where that takes long: at the
// first time for a huge home, on a slow disk, or where another codex is at it.
func (a *app) watch(label string, m *session.PrepareOptions) (end func()) {
	if !isTerminal(a.stderr) {
		return func() {}
	}
	p := &progress{out: a.stderr, columns: a.erasable, label: label}
	m.Stderr, m.Progress = p, p.step
	p.begin()
	return p.end
}

// erasable is how many columns the terminal on stderr has, 0 where a line on it cannot be taken back.
func (a *app) erasable() int {
	if !a.able() {
		return 0
	}
	return columnsOf(a.stderr)
}

const (
	progressAfter = time.Second            // from here on one wonders
	progressEvery = 100 * time.Millisecond // as fast as one reads numbers
)

// progress is a line on a terminal, the last one there. Lines that are said meanwhile go through Write, and come before it.
type progress struct {
	out     io.Writer
	columns func() int // 0 where a line cannot be taken back
	label   string     // "" for all accounts

	mu          sync.Mutex
	timer       *time.Timer
	done, among int
	shown       bool
	ended       bool
}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(progressAfter, func() {
		if p.draw() {
			p.timer.Reset(progressEvery)
		}
	})
}

func (p *progress) step(done, among int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.among = done, among
}

// draw shows the line as it is now, and reports whether it is to be drawn again.
func (p *progress) draw() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	columns := p.columns()
	if columns == 0 {
		say.Line(p.out, "%s, which takes a moment", p.text())
		return false
	}
	p.shown = true
	p.write("\r" + cut(say.Printable("swop: "+p.text()), max(1, columns-1)) + eraseRest)
	return true
}

func (p *progress) text() string {
	switch {
	case p.label == "":
		return "looking at what ran since the last time"
	case p.among == 0:
		return fmt.Sprintf("making the account %q ready", p.label)
	}
	return fmt.Sprintf("linking %d of %d entries into the account %q", p.done, p.among, p.label)
}

// Write writes text, which is whole lines, where the line of progress was. That is drawn again.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	return p.out.Write(text)
}

// end leaves the terminal as if the line had never been there. Nothing is drawn after it.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.timer.Stop()
	p.erase()
}

func (p *progress) erase() {
	if p.shown {
		p.shown = false
		p.write("\r" + eraseRest)
	}
}

const eraseRest = "\x1b[K" // ECMA-48, erase in line

func (p *progress) write(text string) {
	_, _ = io.WriteString(p.out, text) // nobody is left to be told
}
