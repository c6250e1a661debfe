package config

import (
	"strconv"
	"time"
)

// Remote says which other machines may use an account's login while a connection to them lasts, and how much. The zero value allows none.
type Remote struct {
	Hosts   []string      // as they are named to ssh
	PerHour int           // requests of a connection; 0 for any number
	Until   time.Duration // from the beginning of a connection on; 0 for its end
}

// remote reads the keys of [accounts.LABEL.remote].
func (v value) remote() (r Remote, err error) {
	err = v.fields(
		field{"hosts", into(&r.Hosts, listOf(value.text))},
		field{"requests_per_hour", into(&r.PerHour, value.count)},
		field{"until", into(&r.Until, value.duration)},
	)
	return r, err
}

// count reads a number of 1 or more.
func (v value) count() (int, error) {
	n, ok := v.any.(int64)
	switch {
	case !ok:
		return 0, v.mustBe("a number")
	case n < 1 || n > 1<<31-1:
		return 0, v.fail("%d is not a number from 1 on", n)
	}
	return int(n), nil
}

// duration reads a time such as "8h". The library's reader would link a table that every start of codex pays for.
func (v value) duration() (time.Duration, error) {
	s, err := v.text()
	if err != nil {
		return 0, err
	}
	number, unit := s[:len(s)-1], time.Hour
	if s[len(s)-1] == 'm' {
		unit = time.Minute
	}
	n, bad := strconv.Atoi(number)
	if bad != nil || n < 1 || n > 10_000 || s[len(s)-1] != 'm' && s[len(s)-1] != 'h' {
		return 0, v.fail("must be a time such as \"30m\" or \"8h\"")
	}
	return time.Duration(n) * unit, nil
}
