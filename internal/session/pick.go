package session

import (
	"io"
	"time"

	"swop/config"
	"swop/internal/account/store"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/shim"
)

// Pick takes an account for a start from the pool of the choice, and remembers it for this directory. It says so where none has room.
func Pick(i shim.Invocation, settings config.Settings, c *shim.Choice, now time.Time, stderr io.Writer) error {
	if err := i.Owned(); err != nil {
		return err
	}
	s, err := store.Open(i.Places)
	if err != nil {
		return err
	}
	survey, err := usage.Survey(s, i.SharedHome(), now)
	if err != nil {
		return err
	}
	dir := i.PoolDir()
	if c.Picked, err = survey.Pick(settings, c.Pool, dir); err != nil {
		return survey.WayBack(err, *c)
	}
	c.Label = c.Picked.Key
	p, _ := settings.Pool(c.Pool) // there is one: an account was taken from it
	if err := survey.PassedOver(p); err != nil && c.Picked.Reason != pool.Stays {
		say.Error(stderr, err)
	}
	if line := survey.NoRoom(c.Pool, c.Picked); line != "" {
		say.Line(stderr, "%s", line)
	}
	_ = survey.Remember(dir, c.Picked.Key) // it is looked up again at the next start; that of an account says what is wrong with the disk
	return nil
}
