package account

import (
	"strings"
	"testing"
	"time"
)

// Texts of times are those of package time, on each day that has one.
func TestTimeText(t *testing.T) {
	for at := Time(year0); at < year10000; at += day + 7919 {
		want := time.Unix(int64(at), 0).UTC().Format(time.RFC3339)
		if got := string(at.appendText(nil)); got != want {
			t.Fatalf("%d is %s, want %s", at, got, want)
		}
		if got, ok := timeOf(want); got != at || !ok {
			t.Fatalf("%s is %d (%t), want %d", want, got, ok, at)
		}
	}
}

func TestTimeBounds(t *testing.T) {
	for at, want := range map[Time]bool{year0 - 1: false, year0: true, 0: true, year10000 - 1: true, year10000: false} {
		year := time.Unix(int64(at), 0).UTC().Year()
		if at.writable() != want || want != (year >= 0 && year <= 9999) {
			t.Errorf("%d, in the year %d, can be written: %t, want %t", at, year, at.writable(), want)
		}
	}
}

// What package time does not take for such a text is none.
func TestTimeOfOther(t *testing.T) {
	const text = "2024-02-29T23:59:58Z"
	for i := range len(text) {
		for c := range 256 {
			other := text[:i] + string([]byte{byte(c)}) + text[i+1:]
			want, err := time.Parse("2006-01-02T15:04:05Z", other)
			got, ok := timeOf(other)
			if ok != (err == nil) || ok && got != At(want) {
				t.Errorf("%q is %d (%t), want %v (%v)", other, got, ok, want, err)
			}
		}
	}
	for _, other := range []string{"", text[1:], text + "Z", strings.ToLower(text)} {
		if got, ok := timeOf(other); ok {
			t.Errorf("%q is %d", other, got)
		}
	}
}
