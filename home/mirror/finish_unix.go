//go:build unix

package mirror

import (
	"errors"

	"swop/home/journal"
	"swop/home/rules"
)

// What a killed run began is ended by the next one: the directory of each move says itself what is to be done.

// movesLeft reports whether a run was killed while it moved something; or one is just at it, and holds the lock.
func (h *home) movesLeft() bool {
	left, err := journal.Left(h.Account.Dir)
	return err == nil && len(left) > 0
}

// finishMoves ends the moves that killed runs began.
func (h *home) finishMoves() error {
	left, err := journal.Left(h.Account.Dir)
	for _, id := range left {
		name, failed := h.finishMove(id)
		err = errors.Join(err, h.wait(finding{leftMove, name}, failed))
	}
	return err
}

// finishMove ends one of them, and returns the name of its entry. It leaves those of another home.
func (h *home) finishMove(id string) (name string, err error) {
	left, err := journal.Reopen(h.Account.Dir, id)
	if left == nil {
		return "", err
	}
	m := &move{home: h, Move: left}
	switch {
	case m.About.View == "" && h.view.Name == rules.CodexView: // a power failure tore the description
		return "", errors.Join(m.Close(), m.keep())
	case m.About.View != h.view.Name:
		return "", m.Close()
	}
	if err := m.goOn(); err != nil {
		return m.Name, errors.Join(err, m.Close())
	}
	return m.Name, m.end(nil)
}

// goOn does what a killed run has not done, up to the end of the move.
func (m *move) goOn() error {
	return inOrder(
		func() error { return m.GiveBack(m.sandbox.Path) },
		func() error { return m.DropCopy(m.shared) },
		m.finishRename,
		m.finishGroup,
	)
}
