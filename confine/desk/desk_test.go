package desk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"swop/internal/testhome"
)

// trialGiver gives everything but what is called "never", and counts what holds.
type trialGiver struct {
	mu    sync.Mutex
	holds map[string]int
	kept  []bool
}

func (g *trialGiver) Look(a Ask) (Ask, bool, error) {
	if a.Target == "/never" {
		return a, true, errors.New("is never given")
	}
	return a, a.Target != "/had", nil
}

func (g *trialGiver) Give(_ string, a Ask) (func() error, error) {
	g.count(a, 1)
	return func() error { g.count(a, -1); return nil }, nil
}

func (g *trialGiver) count(a Ask, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holds[a.Target] += n
}

func (g *trialGiver) Keep(a Answer) error {
	g.kept = append(g.kept, a.Allow)
	return nil
}

// newTrialDesk returns a desk, and a channel of its new questions.
func newTrialDesk() (*Desk, *trialGiver, chan Question) {
	g := &trialGiver{holds: map[string]int{}}
	asked := make(chan Question, 100)
	return &Desk{Giver: g, Now: func() time.Time { return time.Unix(1000, 0) }, Note: func(string, Ask, string) {}, Asked: func(q Question) { asked <- q }}, g, asked
}

// TestDeskByTarget: an answer by path is refused when more than one question is about that path, in one session or in two.
func TestDeskByTarget(t *testing.T) {
	q := func(id, target, state string) Question {
		return Question{ID: id, Ask: Ask{Kind: KindRead, Target: target}, State: state}
	}
	one, other := Desks{Questions: []Question{q("1", "/a", StatePending), q("2", "/b", StatePending), q("3", "/c", Granted)}}, Desks{Questions: []Question{q("4", "/a", StatePending)}}
	for about, want := range map[string]string{"/a": "", "1": "1", "4": "4", "/b": "2", "/c": "/c", "/d": "/d"} {
		if got, err := onlyOne([]Desks{one, other}, about); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", about, got, err, want)
		}
	}
}

// answerNext lets the next question be answered while a is asked, and returns the verdict and what ends its use.
func answerNext(t *testing.T, d *Desk, asked chan Question, a Ask, of Decision) (Verdict, func()) {
	t.Helper()
	decided := make(chan error, 1)
	go func() {
		q := <-asked
		of.Of = q.ID
		_, err := d.decide(of)
		decided <- err
	}()
	v, done := d.ask(a, nil)
	if err := <-decided; err != nil {
		t.Fatalf("%+v of %+v: %v", of, a, err)
	}
	return v, done
}

func TestDesk(t *testing.T) {
	write := func(path string, command ...string) Ask { return Ask{Kind: KindWrite, Target: path, Command: command} }
	for _, tt := range []struct {
		name    string
		ask     Ask
		answer  Decision
		verdict string
		during  int // how often it holds before its command ends, and after
		after   int
	}{
		{"once", write("/a", "make"), Decision{Allow: true}, Granted, 1, 0},
		{"session", write("/a"), Decision{Allow: true}, Granted, 1, 1},
		{"session with a command", write("/a", "make"), Decision{Allow: true, How: ForSession}, Granted, 1, 1},
		{"for a time", write("/a"), Decision{Allow: true, How: ForTime, For: time.Hour}, Granted, 1, 1},
		{"for always", write("/a"), Decision{Allow: true, How: Always}, Granted, 1, 1},
		{"denied", write("/a"), Decision{}, Denied, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, g, asked := newTrialDesk()
				v, done := answerNext(t, d, asked, tt.ask, tt.answer)
				if v.Verdict != tt.verdict || g.holds[tt.ask.Target] != tt.during {
					t.Errorf("it is %+v and holds %d times, want %s, %d", v, g.holds[tt.ask.Target], tt.verdict, tt.during)
				}
				done()
				if got := g.holds[tt.ask.Target]; got != tt.after {
					t.Errorf("after its command it holds %d times, want %d", got, tt.after)
				}
				if len(g.kept) > 0 != (tt.answer.How == Always) {
					t.Errorf("kept: %v", g.kept)
				}
				if len(d.List()) > 0 && tt.after+tt.during > 0 {
					if _, err := d.decide(Decision{Of: tt.ask.Target}); err != nil || g.holds[tt.ask.Target] != 0 {
						t.Errorf("taken back: %v, it holds %d times", err, g.holds[tt.ask.Target])
					}
					if v, _ := d.ask(tt.ask, nil); v.Verdict != Denied {
						t.Errorf("asked again: %+v, want denied", v)
					}
				}
			})
		})
	}
}

// TestDeskUnasked: nobody is asked for what is had, is never given, or was denied, and for once there must be a command.
func TestDeskUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, asked := newTrialDesk()
		for target, want := range map[string]string{"/never": Forbidden, "/had": Granted} {
			if v, _ := d.ask(Ask{Kind: KindRead, Target: target}, nil); v.Verdict != want || v.ID != "" || len(asked) > 0 {
				t.Errorf("%s: %+v, %d questions, want %s", target, v, len(asked), want)
			}
		}
		if v, _ := d.ask(Ask{Kind: KindRead, Target: "/slow", Timeout: 0.001}, nil); v.Verdict != Unanswered || len(d.List()) != 0 {
			t.Errorf("not answered: %+v, %v", v, d.List())
		}
		<-asked
		gone := make(chan struct{})
		close(gone)
		if v, _ := d.ask(Ask{Kind: KindRead, Target: "/gone"}, gone); v.Verdict != Unanswered || len(d.List()) != 0 {
			t.Errorf("gone: %+v, %v", v, d.List())
		}
		for _, of := range []string{"", "/none", "abc"} {
			if changed, err := d.decide(Decision{Of: of, Allow: true}); len(changed) > 0 || err != nil {
				t.Errorf("an answer to %q: %v, %v", of, changed, err)
			}
		}
	})
}

// TestDeskEnds: what is given for a time ends then, unless it was taken back before, and can be asked for again.
func TestDeskEnds(t *testing.T) {
	of := Ask{Kind: KindConnect, Target: "a.example"}
	for _, tt := range []struct {
		name  string
		after time.Duration // when it is taken back
		again string        // what asking again says
	}{
		{"by itself", 0, Unanswered},
		{"taken back", time.Minute, Denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, g, asked := newTrialDesk()
				d.Now = time.Now
				var notes []string
				d.Note = func(kind string, _ Ask, why string) { notes = append(notes, kind+": "+why) }
				holds := func(want int) {
					t.Helper()
					synctest.Wait()
					d.mu.Lock() // under which it is given and taken back
					defer d.mu.Unlock()
					if g.holds[of.Target] != want {
						t.Errorf("it holds %d times, want %d", g.holds[of.Target], want)
					}
				}
				_, done := answerNext(t, d, asked, of, Decision{Allow: true, How: ForTime, For: 10 * time.Minute})
				done() // it had no command
				if list := d.List(); len(list) != 1 || list[0].Until != time.Now().Add(10*time.Minute).UTC() {
					t.Errorf("listed: %+v", list)
				}
				if v, _ := d.ask(of, nil); v.Verdict != Granted {
					t.Errorf("asked while it holds: %+v", v)
				}
				time.Sleep(10*time.Minute - time.Nanosecond - tt.after)
				holds(1)
				why := "revoke: its time is over"
				if tt.after > 0 {
					_, err := d.decide(Decision{Of: of.Target})
					testhome.NoError(t, err)
					holds(0)
					why = "revoke: by the user"
				}
				time.Sleep(time.Nanosecond + tt.after)
				holds(0)
				if want := []string{"request: ", "grant: for", why}; !slices.Equal(notes, want) {
					t.Errorf("noted: %q, want %q", notes, want)
				}
				if v, _ := d.ask(of, nil); v.Verdict != tt.again {
					t.Errorf("asked again: %+v, want %s", v, tt.again)
				}
			})
		})
	}
}

// TestDeskTimeToAlways: what was given for a time, and then for always, does not end.
func TestDeskTimeToAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, g, asked := newTrialDesk()
		answerNext(t, d, asked, Ask{Kind: KindWrite, Target: "/a"}, Decision{Allow: true, How: ForTime, For: time.Minute})
		_, err := d.decide(Decision{Of: "/a", Allow: true, How: Always})
		testhome.NoError(t, err)
		time.Sleep(time.Hour)
		if list := d.List(); g.holds["/a"] != 1 || len(list) != 1 || list[0].How != Always || !list[0].Until.IsZero() || len(g.kept) != 1 {
			t.Errorf("it holds %d times, listed: %+v, kept: %v", g.holds["/a"], list, g.kept)
		}
	})
}

// TestDeskOnce: what is given for a command is had by that one alone: another that asks for the same has to be allowed, and keeps what it was given
// when the first ends.
func TestDeskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, g, asked := newTrialDesk()
		of := Ask{Kind: KindWrite, Target: "/a", Command: []string{"make"}}
		v, first := answerNext(t, d, asked, of, Decision{Allow: true, How: Once})
		if v.Verdict != Granted {
			t.Fatalf("the first: %+v", v)
		}
		of.Timeout = 0.001
		if v, _ := d.ask(of, nil); v.Verdict != Unanswered {
			t.Errorf("another while it runs: %+v, want unanswered", v)
		}
		<-asked
		of.Timeout = 0
		v, second := answerNext(t, d, asked, of, Decision{Allow: true})
		first()
		if v.Verdict != Granted || g.holds["/a"] != 1 {
			t.Errorf("the second: %+v, and it holds %d times after the first, want 1", v, g.holds["/a"])
		}
		second()
		if g.holds["/a"] != 0 || len(d.List()) != 0 {
			t.Errorf("after both it holds %d times: %+v", g.holds["/a"], d.List())
		}
	})
}

// TestDeskShared: who asks for what another one has asked for already waits for the same answer, and for once it holds until both have ended.
func TestDeskShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, g, asked := newTrialDesk()
		of := Ask{Kind: KindWrite, Target: "/a", Command: []string{"make"}}
		ends := make(chan func(), 2)
		for range 2 {
			go func() {
				_, done := d.ask(of, nil)
				ends <- done
			}()
		}
		synctest.Wait()
		q := <-asked
		if len(asked) > 0 || len(d.List()) != 1 {
			t.Errorf("there are %d questions more, listed: %+v", len(asked), d.List())
		}
		_, err := d.decide(Decision{Of: q.ID, Allow: true})
		testhome.NoError(t, err)
		for _, want := range []int{1, 0} {
			if (<-ends)(); g.holds["/a"] != want {
				t.Errorf("it holds %d times, want %d", g.holds["/a"], want)
			}
		}
	})
}

// TestDeskDeniedBefore: what was denied for always is not asked again, and nothing else is denied by that.
func TestDeskDeniedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, asked := newTrialDesk()
		d.Deny(Answer{Ask: Ask{Kind: KindWrite, Target: "/a"}})
		d.Deny(Answer{Ask: Ask{Kind: KindBridge, Target: "github", Rule: "repo:a/b"}})
		for _, tt := range []struct {
			ask  Ask
			want string
		}{
			{Ask{Kind: KindWrite, Target: "/a", Reason: "please", Command: []string{"x"}}, Denied},
			{Ask{Kind: KindRead, Target: "/a"}, Unanswered},
			{Ask{Kind: KindWrite, Target: "/a/b"}, Unanswered},
			{Ask{Kind: KindBridge, Target: "github", Rule: "repo:a/b"}, Denied},
			{Ask{Kind: KindBridge, Target: "github", Rule: "repo:a/c"}, Unanswered},
		} {
			tt.ask.Timeout = 0.001
			v, _ := d.ask(tt.ask, nil)
			synctest.Wait()
			if v.Verdict != tt.want || len(asked) > 0 != (tt.want == Unanswered) {
				t.Errorf("%+v: %+v, %d questions, want %s", tt.ask, v, len(asked), tt.want)
			}
			for len(asked) > 0 {
				<-asked
			}
		}
	})
}

// TestDeskBounded: ten thousand requests, of which none is answered, leave a bounded number of questions.
func TestDeskBounded(t *testing.T) {
	d, _, _ := newTrialDesk()
	d.Asked = func(Question) {}
	gone := make(chan struct{})
	var asking sync.WaitGroup
	verdicts := make([]string, 10_000)
	for i := range verdicts {
		asking.Go(func() {
			v, _ := d.ask(Ask{Kind: KindWrite, Target: fmt.Sprint("/", i)}, gone)
			verdicts[i] = v.Verdict
		})
	}
	for len(d.List()) < maxPending {
		time.Sleep(time.Millisecond)
	}
	if got := len(d.List()); got != maxPending {
		t.Errorf("%d questions, want %d", got, maxPending)
	}
	close(gone)
	asking.Wait()
	denied := 0
	for _, v := range verdicts {
		if v == Denied {
			denied++
		}
	}
	if denied == 0 || len(d.List()) != 0 {
		t.Errorf("%d were denied, %d questions are left", denied, len(d.List()))
	}
}
