package oracle

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"swop/internal/testhome"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "play the sequence of this seed only")
	seedsFlag = flag.Uint64("seeds", 30, "play the sequences of this many seeds")
	fromFlag  = flag.Uint64("from", 1, "the first seed")

	shrinkFlag = flag.Bool("shrink", true, "leave out what a failing sequence does not need")
)

// TestRandom plays random sequences: those of the -seeds from -from on, which take half a minute, or of one -seed. With every other seed swop
// shares at once what replaced a link in a session, as it else does after ten seconds of rest.
func TestRandom(t *testing.T) {
	testhome.NotShort(t, "many sequences")
	testhome.Needs(t, "sqlite3", "rsync", "stow", "vim", "perl")
	_, err := built()
	testhome.NoError(t, err)
	first, last := *fromFlag, *fromFlag+*seedsFlag
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	began := time.Now()
	next, played := atomic.Uint64{}, atomic.Uint64{}
	next.Store(first)
	var failed sync.Map
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				seed := next.Add(1) - 1
				if seed >= last {
					return
				}
				played.Add(1)
				if report := playSeed(t, seed); report != "" {
					failed.Store(seed, true)
					t.Errorf("seed %d: %s", seed, report)
				}
			}
		})
	}
	all.Wait()
	count := 0
	failed.Range(func(any, any) bool { count++; return true })
	t.Logf("played %d sequences from the seed %d on in %v, %d failed", played.Load(), first, time.Since(began).Round(time.Second), count)
}

// playSeed plays a seed's sequence. If it fails, the shortest sequence that fails alike and was found by leaving events out is returned, with
// what was wrong.
func playSeed(t *testing.T, seed uint64) string {
	list, bin := makeSequence(seed), calm
	if seed%2 == 1 {
		bin = hasty
	}
	found := playOnce(t, bin, list)
	if found.kind == "" {
		return ""
	}
	for i := len(list) - 1; i >= 0 && *shrinkFlag; i-- {
		shorter := slices.Delete(slices.Clone(list), i, i+1)
		if f := playOnce(t, bin, shorter); f.kind == found.kind {
			list, found = shorter, f
		}
	}
	var report strings.Builder
	fmt.Fprintf(&report, "%s, programs in %s\n%s\n", found.kind, bin, found.defects)
	for _, e := range list {
		fmt.Fprintf(&report, "  %v\n", e)
	}
	return report.String() + found.said
}

// failure is what was wrong in a sequence: the kind of the first defect, "" for none, all defects, and what swop did and said.
type failure struct{ kind, defects, said string }

func playOnce(t *testing.T, bin string, list []event) failure {
	dir, err := os.MkdirTemp(testhome.ProgramScratch(), "oracle-")
	testhome.NoError(t, err)
	w, err := newWorld(t, dir, bin)
	defer func() { testhome.NoError(t, w.remove()) }()
	testhome.NoError(t, err)
	r := newRun(w)
	if err := r.play(list); err != nil {
		r.defect("%v", err)
	}
	text := "played:\n" + strings.Join(w.log, "\n") + "\nswop said:\n" + strings.Join(w.said, "\n")
	return failure{r.kind, strings.ReplaceAll(strings.Join(r.defects, "\n"), dir, "…"), strings.ReplaceAll(text, dir, "…")}
}
