package usage

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// asked is when the questions of the tests were asked.
var asked = time.Unix(1_000_000, 0).UTC()

func after(d time.Duration) time.Time { return asked.Add(d) }

const (
	five  = 5 * time.Hour
	seven = 7 * 24 * time.Hour
)

func TestParseReading(t *testing.T) {
	const usual = `"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":1003600},"secondary":{"usedPercent":7,"windowDurationMins":10080,"resetsAt":1500000}`
	short, long := Window{300, 42, after(time.Hour)}, Window{10080, 7, time.Unix(1_500_000, 0).UTC()}
	for _, tt := range []struct {
		name, text string
		want       Reading
	}{
		{"0.92", `{"rateLimits":{` + usual + `,"credits":null,"planType":"plus"}}`, Reading{Plan: "plus", Windows: []Window{short, long}}},
		{
			"0.169", `{"rateLimits":{"limitId":"codex",` + usual + `,"credits":{"hasCredits":true,"unlimited":false,"balance":"12.5"},"planType":"pro","rateLimitReachedType":null},"rateLimitsByLimitId":{"codex":{"limitId":"codex",` + usual + `,"planType":"pro"}},"accountId":"x"}`,
			Reading{Plan: "pro", Windows: []Window{short, long}, Credits: &Credits{Has: true, Balance: "12.5"}},
		},
		{"reached", `{"rateLimits":{` + usual + `,"rateLimitReachedType":"rate_limit_reached"}}`, Reading{Windows: []Window{short, long}, Reached: LimitReached}},
		{"the week in the first place", `{"rateLimits":{"primary":{"usedPercent":7,"windowDurationMins":10080,"resetsAt":1500000},"secondary":null}}`, Reading{Windows: []Window{long}}},
		{"null windows", `{"rateLimits":{"limitId":"premium","primary":null,"secondary":null,"planType":"plus"}}`, Reading{Plan: "plus", Windows: []Window{}}},
		{"no windows", `{"rateLimits":{}}`, Reading{Windows: []Window{}}},

		{
			"another model's bucket in the first place",
			`{"rateLimits":{"limitId":"codex_other","primary":{"usedPercent":100,"windowDurationMins":300,"resetsAt":1003600}},"rateLimitsByLimitId":{"codex_other":{"primary":{"usedPercent":0,"windowDurationMins":300}},"codex":{"limitId":"codex",` + usual + `}}}`,
			Reading{Windows: []Window{short, long}},
		},
		{
			"another model's bucket at its limit",
			`{"rateLimits":{"limitId":"codex",` + usual + `},"rateLimitsByLimitId":{"codex_other":{"primary":{"usedPercent":100,"windowDurationMins":300,"resetsAt":1003600},"rateLimitReachedType":"rate_limit_reached"}}}`,
			Reading{Windows: []Window{short, long}},
		},
		{
			"buckets that disagree: what is worse",
			`{"rateLimits":{` + usual + `},"rateLimitsByLimitId":{"codex":{"primary":{"usedPercent":50,"windowDurationMins":300,"resetsAt":1003601},"secondary":{"usedPercent":1,"windowDurationMins":10080,"resetsAt":1500000}}}}`,
			Reading{Windows: []Window{{300, 50, after(3601 * time.Second)}, long}},
		},
		{"one bucket of another name alone", `{"rateLimits":{"limitId":"premium","primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":1003600}}}`, Reading{Windows: []Window{short}}},

		{"negative", `{"rateLimits":{"primary":{"usedPercent":-1,"windowDurationMins":300,"resetsAt":1003600}}}`, Reading{Windows: []Window{}}},
		{"over 100", `{"rateLimits":{"primary":{"usedPercent":1e300,"windowDurationMins":300,"resetsAt":1003600}}}`, Reading{Windows: []Window{{300, 100, after(time.Hour)}}}},
		{"a fraction", `{"rateLimits":{"primary":{"usedPercent":42.9,"windowDurationMins":300,"resetsAt":1003600}}}`, Reading{Windows: []Window{short}}},
		{"words for numbers", `{"rateLimits":{"primary":{"usedPercent":"42","windowDurationMins":300},"secondary":7,"planType":7,"credits":"x"}}`, Reading{Windows: []Window{}}},
		{"no reset", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":null}}}`, Reading{Windows: []Window{{300, 42, after(five)}}}},
		{"a reset beyond its length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":9999999999}}}`, Reading{Windows: []Window{{300, 42, after(five)}}}},
		{"a reset before all time", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":-1}}}`, Reading{Windows: []Window{{300, 42, after(five)}}}},
		{"a reset that has passed", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":999999}}}`, Reading{Windows: []Window{{300, 42, after(-time.Second)}}}},
		{"no length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":null,"resetsAt":1003600}}}`, Reading{Windows: []Window{{0, 42, after(time.Hour)}}}},
		{"no length and no reset", `{"rateLimits":{"primary":{"usedPercent":42}}}`, Reading{Windows: []Window{}}},
		{"a negative length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":-300,"resetsAt":1003600}}}`, Reading{Windows: []Window{{0, 42, after(time.Hour)}}}},
		{"an endless length", `{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":1e18,"resetsAt":1003600}}}`, Reading{Windows: []Window{{0, 42, after(time.Hour)}}}},
		{"words that a terminal acts on", `{"rateLimits":{"planType":"a\u001b[31mb\n` + strings.Repeat("x", 100) + `"}}`, Reading{Plan: "a[31mb" + strings.Repeat("x", 60-len("a\x1b[31mb\n")), Windows: []Window{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := parseReading([]byte(tt.text), asked); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("parseReading = %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	for _, text := range []string{"", "null", "7", "[]", `"x"`, "{}", `{"rateLimits":null}`, `{"rateLimits":[]}`, `{"rateLimits":`, `{"rateLimitsByLimitId":{"other":{}}}`, "\xff"} {
		if got, err := parseReading([]byte(text), asked); !errors.Is(err, Unreadable) {
			t.Errorf("parseReading(%q) = %+v, %v, want %v", text, got, err, Unreadable)
		}
	}
}

func FuzzParseReading(f *testing.F) {
	f.Add([]byte(`{"rateLimits":{"primary":{"usedPercent":42,"windowDurationMins":300,"resetsAt":1003600}}}`))
	f.Add([]byte(`{"rateLimitsByLimitId":{"codex":{"secondary":{"usedPercent":1e308,"resetsAt":1e308}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseReading(text, asked)
		if err == nil && !r.makesSense(asked) {
			t.Errorf("parseReading(%q) = %+v", text, r)
		}
		for _, w := range r.Windows {
			if left := w.Left(asked); left < 0 || left > 100 || w.ResetsAt.After(after(longest+time.Hour)) {
				t.Errorf("parseReading(%q): %+v, %d %% left", text, w, left)
			}
		}
	})
}

func TestResetsAt(t *testing.T) {
	hour, day := Window{300, 96, after(time.Hour)}, Window{10080, 96, after(24 * time.Hour)}
	low, past := Window{300, 10, after(time.Hour)}, Window{300, 100, after(-time.Hour)}
	for _, tt := range []struct {
		name string
		r    Reading
		want time.Time
	}{
		{"room", Reading{Windows: []Window{low}}, time.Time{}},
		{"nothing known", Reading{}, time.Time{}},
		{"reset already", Reading{Windows: []Window{past}}, time.Time{}},
		{"one", Reading{Windows: []Window{hour}}, hour.ResetsAt},
		{"the later", Reading{Windows: []Window{hour, day}}, day.ResetsAt},
		{"the later, first", Reading{Windows: []Window{day, hour}}, day.ResetsAt},
		{"reached, by the server alone", Reading{Reached: LimitReached, Windows: []Window{{300, 50, after(time.Hour)}, {10080, 10, after(seven)}}}, after(time.Hour)},
		{"reached, and seen", Reading{Reached: LimitReached, Windows: []Window{low, day}}, day.ResetsAt},
		{"reached, seen first", Reading{Reached: LimitReached, Windows: []Window{day, low}}, day.ResetsAt},
		{"a workspace's limit", Reading{Reached: "workspace_owner_credits_depleted", Windows: []Window{low}}, time.Time{}},
	} {
		if got := tt.r.ResetsAt(95, asked); !got.Equal(tt.want) {
			t.Errorf("%s: ResetsAt = %v, want %v", tt.name, got, tt.want)
		}
	}
}
