package home

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// Two accounts and a program outside replace the same files all the time, while starts share them: each text is at a name, in kept/, or
// where the program that took it out put it.
func TestRace(t *testing.T) {
	w := newWorld(t, "a", "b")
	rounds := number("SWOP_ROUNDS", 4000)
	taken := filepath.Join(filepath.Dir(w.store.Home), "taken")
	testhome.NoError(t, os.Mkdir(taken, 0o700))
	var programs, starts sync.WaitGroup
	ended := make(chan struct{})
	for i, dir := range []string{w.in("a", ""), w.in("b", ""), w.out("")} {
		programs.Go(func() {
			for n := range rounds {
				tmp := filepath.Join(taken, fmt.Sprintf("%d-%d", i, n))
				testhome.PutText(t, tmp, fmt.Sprintf("<%d-%d>", i, n))
				name := filepath.Join(dir, fmt.Sprintf("x%d", n%3))
				if unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, name, unix.RENAME_EXCHANGE) != nil {
					_ = unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, name, unix.RENAME_NOREPLACE) // else it stays in taken
				}
			}
		})
	}
	for _, key := range []string{"a", "b"} {
		starts.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				homes := Homes{Store: w.store, Root: w.root, Settings: w.settings, Say: func(string) {}}
				testhome.NoError(t, homes.Reconcile(*w.account(key), Options{Idle: AtRest}))
			}
		})
	}
	programs.Wait()
	close(ended)
	starts.Wait()
	w.start(atRest, "a", "b")
	p := &play{world: w}
	there := p.present()
	testhome.NoError(t, filepath.WalkDir(taken, func(path string, e os.DirEntry, err error) error {
		if err == nil && disk.At(path).IsRegular() {
			there[testhome.TextOf(path)] = true
		}
		return err
	}))
	for i := range 3 {
		for n := range rounds {
			if text := fmt.Sprintf("<%d-%d>", i, n); !there[text] {
				t.Errorf("%s is dropped", text)
			}
		}
	}
	for n := range 3 {
		w.want(testhome.TextOf(w.out(fmt.Sprintf("/x%d", n))), w.in("a", fmt.Sprintf("/x%d", n)), w.in("b", fmt.Sprintf("/x%d", n)))
	}
}

// A session moves a link beside starts, which do not make it again, and ends; both accounts start at once: the file has its new name
// everywhere.
func TestMoveBesideStarts(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.put(w.out("/x"), "text")
	w.start(atRest, "a", "b")
	homes := Homes{Store: w.store, Root: w.root, Settings: w.settings, Say: func(string) {}}
	from, to := "/x", "/y"
	for n := range number("SWOP_ROUNDS", 4000) / 20 {
		name := fmt.Sprintf("/n%d", n)
		testhome.PutText(t, w.out(name), "")
		for _, idle := range []func() (bool, error){InUse, AtRest} {
			var all sync.WaitGroup
			for _, key := range []string{"a", "b", "b"} {
				all.Go(func() {
					testhome.NoError(t, homes.Reconcile(*w.account(key), Options{Idle: idle}))
				})
			}
			if rested, _ := idle(); !rested {
				for end := time.Now().Add(time.Duration(n%20) * 50 * time.Microsecond); time.Now().Before(end); {
					if i := disk.At(w.in("a", name)); i.Exists() && i.Mtime.Sec != linkTime {
						t.Fatal("a link is there without its time")
					}
				}
				testhome.NoError(t, os.Rename(w.in("a", from), w.in("a", to)))
			}
			if all.Wait(); disk.At(w.in("a", from)).Exists() {
				t.Fatalf("%s is back", from)
			}
		}
		w.start(atRest, "a", "b")
		for _, path := range []string{w.out(""), w.in("a", ""), w.in("b", "")} {
			w.want("text", path+to)
			w.want("", path+from)
		}
		from, to = to, from
	}
	w.wantKept("")
}
