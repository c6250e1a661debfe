package terminal

import (
	"fmt"
	"time"
)

// day ignores changes of the clock.
const day = 24 * time.Hour

// Ago returns the time since t in its largest unit, or the date if t is in the future.
func Ago(now time.Time, t *time.Time) string {
	if t == nil {
		return "never"
	}
	d := now.Sub(*t)
	switch {
	case d < -time.Minute:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 60*day:
		return fmt.Sprintf("%d days ago", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d months ago", d/(30*day))
	}
	return fmt.Sprintf("%d years ago", d/(365*day))
}

// Counted returns the number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
