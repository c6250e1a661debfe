package account

import (
	"time"
)

// Time is a time of meta.json: whole seconds since 1970 in UTC, as time.Time's Unix counts them; 0 where there is none.
//
// It is no time.Time, and its text is not made by package time, for that knows the zones of the world, and each start of codex would map all
// of it. A test holds the two equal.
type Time int64

// At returns t, without what is less than a second.
func At(t time.Time) Time { return Time(t.Unix()) }

// Time returns v as a time.Time, the zero value where there is none.
func (v Time) Time() time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.Unix(int64(v), 0).UTC()
}

// writable reports whether RFC 3339 has a text for it: whether the year has four digits.
func (v Time) writable() bool { return v >= year0 && v < year10000 }

const (
	year0     = -62167219200
	year10000 = 253402300800
	day       = 24 * 60 * 60
)

// UnmarshalText sets the time from any time of RFC 3339.
func (v *Time) UnmarshalText(text []byte) error {
	var t time.Time
	err := t.UnmarshalText(text)
	*v = At(t)
	return err
}

// MarshalText returns the time as RFC 3339 has it, in UTC.
func (v Time) MarshalText() ([]byte, error) { return v.appendText(nil), nil }

func (v *Time) read(r *reader) {
	t, ok := timeOf(r.string())
	*v, r.bad = t, r.bad || !ok
}

func (v *Time) empty() bool { return *v == 0 }

func (v *Time) append(b []byte) []byte { return append(v.appendText(append(b, '"')), '"') }

// appendText appends the time as RFC 3339 has it, in UTC. One that is not writable gives some other text.
func (v Time) appendText(b []byte) []byte {
	seconds := int(v - year0)
	year, month, date := dateOf(seconds / day)
	b = append(appendTwo(appendTwo(b, year/100), year%100), '-')
	b = append(appendTwo(b, month), '-')
	b = append(appendTwo(b, date), 'T')
	b = append(appendTwo(b, seconds/3600%24), ':')
	b = append(appendTwo(b, seconds/60%60), ':')
	return append(appendTwo(b, seconds%60), 'Z')
}

func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// timeOf returns the time of a text as appendText makes it, and whether it is one.
func timeOf(text string) (v Time, ok bool) {
	if len(text) != len("2006-01-02T15:04:05Z") {
		return 0, false
	}
	two := func(at int) int { return int(text[at]-'0')*10 + int(text[at+1]-'0') }
	days := daysTo(two(0)*100+two(2), two(5), two(8))
	v = Time(((days*24+two(11))*60+two(14))*60 + two(17) + year0)
	var b [len("2006-01-02T15:04:05Z")]byte
	return v, v.writable() && string(v.appendText(b[:0])) == text // else no date, or no digits
}

// Dates are reckoned in years that begin with March, so that a leap day ends its year, and from 400 years before the year 0, which is as long as
// it takes until they repeat, so that no number is negative.
const (
	cycle     = 400 // years
	cycleDays = cycle*365 + 97
	untilYear = cycleDays - 31 - 29 // from the first of these years to the 1st of January of the year 0, a leap year
)

// dateOf returns the date of the day that is so many after the 1st of January of the year 0.
func dateOf(days int) (year, month, date int) {
	days += untilYear
	year, days = days/cycleDays*cycle, days%cycleDays
	n := (days - days/(4*365) + days/(100*365+24) - days/(cycleDays-1)) / 365
	days -= n*365 + n/4 - n/100
	m := (5*days + 2) / 153 // 153 days have five months in a row, whether from March or from August
	year, month, date = year+n-cycle, (m+2)%12+1, days-(153*m+2)/5+1
	if month <= 2 {
		year++
	}
	return year, month, date
}

// daysTo returns how many days after the 1st of January of the year 0 the date is.
func daysTo(year, month, date int) int {
	year += cycle
	if month <= 2 {
		year--
	}
	n, m := year%cycle, (month+9)%12
	return year/cycle*cycleDays + n*365 + n/4 - n/100 + (153*m+2)/5 + date - 1 - untilYear
}
