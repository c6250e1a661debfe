package mirror

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
)

// TestAloneGap has others act between the two calls of Alone, when nothing need be held: afterwards the account is held, or there is an error.
func TestAloneGap(t *testing.T) {
	stepper := newStepper(t)
	s := testStore(t)
	testAccountOf(t, s, "work")
	shared := func() (account.Lock, error) { return s.LockShared("work", false) }
	for _, tt := range []struct {
		name   string
		beside bool // another is in the account when Alone is asked
		act    func() (account.Lock, error)
		alone  bool
		err    error
	}{
		{"nobody comes", false, func() (account.Lock, error) { return account.Lock{}, nil }, true, nil},
		{"one wants it alone", false, func() (account.Lock, error) { return s.LockExclusive("work") }, true, nil},
		{"one leaves", true, func() (account.Lock, error) { return account.Lock{}, nil }, false, nil},
		{"one leaves, another comes", true, shared, false, nil},
		{"one leaves, another has it alone", true, func() (account.Lock, error) { return s.LockExclusive("work") }, false, account.ErrHoldLost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hold := mustLock(t, shared)
			beside, other := account.Lock{}, account.Lock{}
			if tt.beside {
				beside = mustLock(t, shared)
			}
			var alone bool
			calls, err := stepper.run(func() (err error) {
				alone, err = hold.Alone()
				return err
			}, func(n int, call string) unix.Errno {
				if n == 1 {
					beside.Release()
					other, _ = tt.act() // refused where the account is held
				}
				return 0
			})
			if alone != tt.alone || !errors.Is(err, tt.err) || calls != 2 {
				t.Errorf("Alone() = %t, %v in %d calls, want %t, %v in 2", alone, err, calls, tt.alone, tt.err)
			}
			other.Release()
			e, err := s.LockExclusive("work")
			if held := errors.Is(err, account.ErrInUse); held != (tt.err == nil) {
				t.Errorf("afterwards the account is held: %t, %v", held, err)
			}
			e.Release()
			hold.Release()
		})
	}
}
