package usage

import (
	"slices"
	"time"

	"swop/internal/account"
	"swop/internal/limits/pool"
)

// thresholds are the percentages at which a user is told of a window, the highest first.
var thresholds = []int{95, 80}

// Told says that a user was told how much of a window is used, until when that holds.
type Told struct {
	Minutes  int          `json:"minutes"`
	Percent  int          `json:"percent"` // one of the thresholds
	ResetsAt account.Time `json:"resets_at"`
}

// News is what a user is to be told of a window.
type News struct {
	pool.Window
	Percent int // the threshold that was crossed, 0 for a reset that has passed
}

// Tell returns what is to be told of the account's windows, each crossing and each reset once, and the entry in which that is noted.
func (e Entry) Tell(now time.Time) (Entry, []News) {
	if e.Reading == nil {
		return e, nil
	}
	var news []News
	told := slices.Clone(e.Told)
	for _, w := range e.Reading.Windows {
		w = w.At(account.At(now))
		i := slices.IndexFunc(told, func(t Told) bool { return t.Minutes == w.Minutes })
		if i >= 0 && told[i].ResetsAt <= account.At(now) {
			news = append(news, News{Window: w})
			told = slices.Delete(told, i, i+1)
			i = -1
		}
		crossed := slices.IndexFunc(thresholds, func(percent int) bool { return w.Used >= percent })
		if crossed < 0 || i >= 0 && told[i].Percent >= thresholds[crossed] {
			continue
		}
		if i >= 0 {
			told = slices.Delete(told, i, i+1)
		}
		told = append(told, Told{w.Minutes, thresholds[crossed], w.ResetsAt})
		news = append(news, News{w, thresholds[crossed]})
	}
	e.Told = told
	return e, news
}
