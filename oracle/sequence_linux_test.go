package oracle

import (
	"fmt"
	"math/rand/v2"
)

// event is one thing that happens in a sequence.
type event struct {
	kind    eventKind
	key     string // the account of a step, of an end, of a start
	session int    // which session of the account
	step    step
	during  string // the account in which codex starts at the same time as the step, "" for none
}

type eventKind int

const (
	stepped eventKind = iota // a step, in a session that is opened for it if it is not open
	ended                    // the session ends
	started                  // codex starts in the account
	synced                   // codex swop sync
)

func (e event) String() string {
	switch e.kind {
	case ended:
		return fmt.Sprintf("session %d of %s ends", e.session, e.key)
	case started:
		return "codex true, in " + e.key
	case synced:
		return "codex swop sync"
	}
	text := fmt.Sprintf("session %d of %s, %s: %s", e.session, e.key, e.step.kind, e.step.code)
	if e.during != "" {
		text += "\n    at the same time: codex true, in " + e.during
	}
	return text
}

// makeSequence makes the sequence of a seed.
func makeSequence(seed uint64) (list []event) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	p := newPool(rnd)
	for range 3 + rnd.IntN(23) {
		list = append(list, makeEvents(p)...)
	}
	return list
}

func makeEvents(p *pool) []event {
	e := event{key: accounts[p.rnd.IntN(2)], session: p.rnd.IntN(2)}
	switch n := p.rnd.IntN(20); {
	case n < 1:
		e.kind = synced
	case n < 4:
		e.kind = started
	case n < 7:
		e.kind = ended
	case n < 9:
		return held(p, e)
	case n < 12:
		e.during = accounts[p.rnd.IntN(2)]
		fallthrough
	default:
		e.step = makeStep(p)
	}
	return []event{e}
}

// held is a program that keeps something open over several steps.
func held(p *pool, e event) (list []event) {
	add := func(kind, code string, names ...string) {
		e.step = step{kind, names, code}
		list = append(list, e)
		switch p.rnd.IntN(4) {
		case 0:
			list = append(list, event{kind: started, key: accounts[p.rnd.IntN(2)]})
		case 1:
			list = append(list, event{key: accounts[p.rnd.IntN(2)], session: 2, step: makeStep(p)})
		}
	}
	switch p.rnd.IntN(3) {
	case 0:
		name := p.file()
		add("open", "command exec 45>>"+home(name), name)
		add("write to the open file", fmt.Sprintf("echo '# %s' >&45", p.token()), name)
		add("write to the open file", fmt.Sprintf("echo '# %s' >&45", p.token()), name)
		add("close", "exec 45>&-", name)
	case 1:
		name := p.one([]string{"old.db", "new.db"})
		add("open the database", openDatabase(name), databaseFiles(name)...)
		add("insert", fmt.Sprintf(`echo "insert into t values ('%s');" >&47; %s`, p.token(), databaseSync), databaseFiles(name)...)
		add("insert", fmt.Sprintf(`echo "insert into t values ('%s');" >&47; %s`, p.token(), databaseSync), databaseFiles(name)...)
		add("close the database", closeDatabase, databaseFiles(name)...)
	default:
		name := p.dir()
		add("make the directory again and stay", fmt.Sprintf("rm -rf %s; mkdir %[1]s; cd %[1]s; echo '# %s' >early", home(name), p.token()), name)
		add("write there", fmt.Sprintf("echo '# %s' >late", p.token()), name)
		add("leave", "cd /", name)
	}
	return list
}
