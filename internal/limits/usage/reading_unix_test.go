//go:build unix

package usage

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"swop/internal/limits/pool"
)

// asked is when the questions of the tests were asked.
var asked = time.Unix(1_000_000, 0).UTC()

func window(minutes, used int, resets time.Time) pool.Window {
	return pool.Window{Minutes: minutes, Used: used, ResetsAt: resets}
}

func after(d time.Duration) time.Time { return asked.Add(d) }

const (
	five  = 5 * time.Hour
	seven = 7 * 24 * time.Hour
)

func TestParseReading(t *testing.T) {
	const usual = `"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":1003600},"secondary":{"usedPercent":7,"windowDurationMins":10080,"resetsAt":1500000}`
	short, long := window(300, 42, after(time.Hour)), window(10080, 7, time.Unix(1_500_000, 0).UTC())
	for _, tt := range []struct {
		name, text string
		want       Reading
	}{
		{"0.92", `{"rateLimits":{` + usual + `,"credits":null,"planType":"plus"}}`, Reading{Plan: "plus", Windows: []pool.Window{short, long}}},
		{
			"0.169", `{"rateLimits":{"limitId":"codex",` + usual + `,"credits":{"hasCredits":true,"unlimited":false,"balance":"12.5"},"planType":"pro","rateLimitReachedType":null},"rateLimitsByLimitId":{"codex":{"limitId":"codex",` + usual + `,"planType":"pro"}},"accountId":"x"}`,
			Reading{Plan: "pro", Windows: []pool.Window{short, long}},
		},
		{"reached", `{"rateLimits":{` + usual + `,"rateLimitReachedType":"rate_limit_reached"}}`, Reading{Windows: []pool.Window{short, long}, Reached: LimitReached}},
		{"the week in the first place", `{"rateLimits":{"primary":{"usedPercent":7,"windowDurationMins":10080,"resetsAt":1500000},"secondary":null}}`, Reading{Windows: []pool.Window{long}}},
		{"no windows", `{"rateLimits":{}}`, Reading{Windows: []pool.Window{}}},

		{
			"another model's bucket in the first place",
			`{"rateLimits":{"limitId":"codex_other","primary":{"usedPercent":100,"windowDurationMins":300,"resetsAt":1003600}},"rateLimitsByLimitId":{"codex_other":{"primary":{"usedPercent":0,"windowDurationMins":300}},"codex":{"limitId":"codex",` + usual + `}}}`,
			Reading{Windows: []pool.Window{short, long}},
		},
		{
			"another model's bucket alone in the first place",
			`{"rateLimits":{"limitId":"codex_other","primary":{"usedPercent":100,"resetsAt":1003600}},"rateLimitsByLimitId":{"codex":{"planType":"pro"}}}`,
			Reading{Plan: "pro", Windows: []pool.Window{}},
		},
		{
			"buckets that disagree: codex's own",
			`{"rateLimits":{` + usual + `},"rateLimitsByLimitId":{"codex":{"primary":{"usedPercent":50,"windowDurationMins":300,"resetsAt":1003601}}}}`,
			Reading{Windows: []pool.Window{window(300, 50, after(3601*time.Second))}},
		},

		{"negative", `{"rateLimits":{"primary":{"usedPercent":-1,"windowDurationMins":300,"resetsAt":1003600}}}`, Reading{Windows: []pool.Window{}}},
		{"over 100", `{"rateLimits":{"primary":{"usedPercent":1e300,"windowDurationMins":300,"resetsAt":1003600}}}`, Reading{Windows: []pool.Window{window(300, 100, after(time.Hour))}}},
		{"words for numbers", `{"rateLimits":{"primary":{"usedPercent":"42","windowDurationMins":300},"secondary":7,"planType":7,"credits":"x"}}`, Reading{Windows: []pool.Window{}}},
		{"no reset", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":null}}}`, Reading{Windows: []pool.Window{window(300, 42, after(five))}}},
		{"a reset beyond its length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":9999999999}}}`, Reading{Windows: []pool.Window{window(300, 42, after(five))}}},
		{"no length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":null,"resetsAt":1003600}}}`, Reading{Windows: []pool.Window{window(0, 42, after(time.Hour))}}},
		{"no length and no reset", `{"rateLimits":{"primary":{"usedPercent":42}}}`, Reading{Windows: []pool.Window{}}},
		{"an endless length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":1e18,"resetsAt":1003600}}}`, Reading{Windows: []pool.Window{window(0, 42, after(time.Hour))}}},
		{"words that a terminal acts on", `{"rateLimits":{"planType":"a\u001b[31mb\n` + strings.Repeat("x", 100) + `"}}`, Reading{Plan: "a[31mb" + strings.Repeat("x", 60-len("a[31mb")) + "…", Windows: []pool.Window{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := parseReading([]byte(tt.text), asked); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("parseReading = %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	for _, text := range []string{
		"", "null", "7", "[]", `"x"`, "{}", `{"rateLimits":null}`, `{"rateLimits":[]}`, `{"rateLimits":`,
		`{"rateLimitsByLimitId":{"other":{}}}`, "\xff",
	} {
		if got, err := parseReading([]byte(text), asked); !errors.Is(err, Unreadable) {
			t.Errorf("parseReading(%q) = %+v, %v, want %v", text, got, err, Unreadable)
		}
	}
}

func FuzzParseReading(f *testing.F) {
	f.Add([]byte(`{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":1003600}}}`))
	f.Add([]byte(`{"rateLimitsByLimitId":{"codex":{"secondary":{"usedPercent":1e308,"resetsAt":1e308}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, _ := parseReading(text, asked) // nothing comes with an error
		for _, w := range r.Windows {
			if used := w.At(asked).Used; used < 0 || used > 100 || w.ResetsAt.After(after(longest+time.Hour)) {
				t.Errorf("parseReading(%q): %+v, %d %% used", text, w, used)
			}
		}
	})
}

// The one rule of full, for the readings of a server: an account is full while a window is used up, or while the server says that the limit
// is reached.
func TestRoomOfReading(t *testing.T) {
	hour, day := window(300, 96, after(time.Hour)), window(10080, 96, after(24*time.Hour))
	low, past := window(300, 10, after(time.Hour)), window(300, 100, after(-time.Hour))
	for _, tt := range []struct {
		name string
		r    Reading
		want time.Time
	}{
		{"room", Reading{Windows: []pool.Window{low}}, time.Time{}},
		{"reset already", Reading{Windows: []pool.Window{past}}, time.Time{}},
		{"one", Reading{Windows: []pool.Window{hour}}, hour.ResetsAt},
		{"the later", Reading{Windows: []pool.Window{hour, day}}, day.ResetsAt},
		{"reached, by the server alone", Reading{Reached: LimitReached, Windows: []pool.Window{window(300, 50, after(time.Hour)), window(10080, 10, after(seven))}}, after(time.Hour)},
		{"reached, and seen", Reading{Reached: LimitReached, Windows: []pool.Window{low, day}}, day.ResetsAt},
		{"a workspace's limit", Reading{Reached: "workspace_owner_credits_depleted", Windows: []pool.Window{low}}, time.Time{}},
	} {
		room, until := Entry{}.Note(tt.r, "", 0, asked).Room(95, asked)
		if !until.Equal(tt.want) || (room == pool.Full) != !tt.want.IsZero() {
			t.Errorf("%s: Room = %v, %v, want full until %v", tt.name, room, until, tt.want)
		}
	}
}
