package usage

import (
	"testing"
	"time"

	"swop/internal/account"
	"swop/internal/limits/pool"
)

// Each crossing and each reset is told once, of each window by itself.
func TestTell(t *testing.T) {
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	var e Entry
	for _, step := range []struct {
		name        string
		after       time.Duration // noon
		short, long int
		reset       time.Duration // of the short window, after noon
		want        map[int]int   // minutes → percent
	}{
		{"below", 0, 79, 10, time.Hour, nil},
		{"80", time.Minute, 80, 10, time.Hour, map[int]int{300: 80}},
		{"again", 2 * time.Minute, 94, 10, time.Hour, nil},
		{"95", 3 * time.Minute, 95, 10, time.Hour, map[int]int{300: 95}},
		{"again", 4 * time.Minute, 100, 10, time.Hour, nil},
		{"the week", 5 * time.Minute, 100, 96, time.Hour, map[int]int{10080: 95}},
		{"a reset by the old reading", 61 * time.Minute, 100, 96, time.Hour, map[int]int{300: 0}},
		{"again", 62 * time.Minute, 0, 96, 6 * time.Hour, nil},
		{"the next window", 63 * time.Minute, 85, 96, 6 * time.Hour, map[int]int{300: 80}},
	} {
		now := noon.Add(step.after)
		r := Reading{Windows: []pool.Window{
			{Minutes: 300, Used: step.short, ResetsAt: account.At(noon.Add(step.reset))},
			{Minutes: 10080, Used: step.long, ResetsAt: account.At(noon.Add(100 * time.Hour))},
		}}
		var news []News
		e, news = e.Note(r, "", pool.File{}, now).Tell(now)
		for _, n := range news {
			if want, ok := step.want[n.Minutes]; !ok || want != n.Percent {
				t.Errorf("%s: told of %+v, want %v", step.name, n, step.want)
			}
		}
		if len(news) != len(step.want) {
			t.Errorf("%s: told of %+v, want %v", step.name, news, step.want)
		}
	}
	// A reset that passed while nothing ran, and in which as much was used again, is both.
	reading := Reading{Windows: []pool.Window{{Minutes: 300, Used: 90, ResetsAt: account.At(noon.Add(time.Hour))}}}
	e, _ = Entry{Told: []Told{{300, 80, account.At(noon)}}}.Note(reading, "", pool.File{}, noon).Tell(noon)
	if len(e.Told) != 1 || e.Told[0].ResetsAt != account.At(noon.Add(time.Hour)) {
		t.Errorf("noted is %+v", e.Told)
	}
}
