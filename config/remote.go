package config

import (
	"math"
	"strconv"
	"strings"
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
		field{"requests_per_hour", into(&r.PerHour, wholeNumber(math.MaxInt32, "a number from 1 on"))},
		field{"until", into(&r.Until, value.duration)},
	)
	return r, err
}

// duration reads a time such as "8h". The library's reader would link a table that every start of codex pays for.
func (v value) duration() (time.Duration, error) {
	s, err := v.text()
	if err != nil {
		return 0, err
	}
	for suffix, unit := range map[string]time.Duration{"m": time.Minute, "h": time.Hour} {
		number, of := strings.CutSuffix(s, suffix)
		if n, err := strconv.Atoi(number); of && err == nil && n >= 1 && n <= 10_000 {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, v.fail("must be a time such as \"30m\" or \"8h\"")
}
