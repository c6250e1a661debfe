//go:build unix

package manager

import (
	"errors"
	"fmt"
	"os"

	"swop/config"
)

// Rename gives the account another label and returns it as it is then. Where the label's key belongs to another account the error
// wraps [ErrExists]. The caller holds both keys exclusively. Killed in between, the account has one of the two labels. sharedHome is
// where transcripts are: those that codex recorded under the old name stay to be found.
func (s Store) Rename(a Account, label, sharedHome string) (Account, error) {
	key, err := config.Key(label)
	if err != nil {
		return a, err
	}
	if a, err = s.remnant(a.Key); err != nil { // another may have renamed it before the lock was held
		return a, err
	}
	to := Account{Key: key, Dir: s.dir(key), Meta: a.Meta}
	to.Meta.Label, to.Meta.Key = label, key
	if key == a.Key {
		return to, s.writeMeta(to)
	}
	if other, err := s.remnant(key); !errors.Is(err, ErrNoAccount) {
		if err == nil {
			err = fmt.Errorf("account %q %w", other.Meta.Label, ErrExists)
		}
		return a, err
	}
	if s.isMarked(a.Key) {
		if err := s.MarkPending(key); err != nil {
			return a, err
		}
	}
	if err := s.clearRelic(key); err != nil {
		return a, err
	}
	a.Meta.MovingTo = label
	if err := s.writeMeta(a); err != nil {
		return a, err
	}
	if err := os.Rename(a.Dir, to.Dir); err != nil {
		return a, err
	}
	if err := config.SyncDir(s.accounts()); err != nil {
		return to, err
	}
	return to, errors.Join(s.writeMeta(to), s.unmark(a.Key), s.leaveRelic(a, sharedHome))
}
