package mirror

import (
	"slices"
	"strconv"
	"strings"
)

// Defect is an entry of a sandbox that is not as it should be.
type Defect struct {
	Name string // "" for the whole of it
	Text string // what is wrong with it
	Do   string // what a person can do about it, "" for what the time or the next start repairs
	Wait bool   // the last start could not repair it, for the reason in Text
	Own  bool   // it may be in the sandbox alone
}

// String returns the name, quoted, and what is wrong.
func (d Defect) String() string {
	if d.Name == "" {
		return d.Text
	}
	return strconv.Quote(d.Name) + " " + d.Text
}

// Waiting returns what waits, a line for each reason and remedy, with the names of its entries.
func Waiting(defects []Defect) (list []Defect) {
	for len(defects) > 0 {
		first := defects[0]
		var names []string
		defects = slices.DeleteFunc(slices.Clone(defects), func(d Defect) bool {
			same := d.Text == first.Text && d.Do == first.Do
			if same {
				names = append(names, strconv.Quote(d.Name))
			}
			return same
		})
		text := names[0] + " " + first.Text
		if len(names) > 1 {
			text = strings.Join(names, ", ") + " wait" + strings.TrimPrefix(first.Text, "waits")
		}
		if first.Wait {
			list = append(list, Defect{Text: text, Do: first.Do})
		}
	}
	return list
}
