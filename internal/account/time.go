package account

import (
	"fmt"
	"time"
)

// Time is a time of meta.json: whole seconds since 1970 in UTC, as time.Time's Unix counts them; 0 where there is none.
type Time int64

// At returns t in whole seconds.
func At(t time.Time) Time { return Time(t.Unix()) }

// Time returns v as a time.Time, the zero value where there is none.
func (v Time) Time() time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.Unix(int64(v), 0).UTC()
}

// UnmarshalText sets the time from any time of RFC 3339 whose year in UTC has four digits.
func (v *Time) UnmarshalText(text []byte) error {
	var t time.Time
	err := t.UnmarshalText(text)
	if year := t.UTC().Year(); err == nil && (year < 0 || year > 9999) {
		err = fmt.Errorf("%s is in the year %d", text, year)
	}
	*v = At(t)
	return err
}

// MarshalText returns the time as RFC 3339 has it, in UTC. A year of more than four digits is an error.
func (v Time) MarshalText() ([]byte, error) { return time.Unix(int64(v), 0).UTC().MarshalText() }
