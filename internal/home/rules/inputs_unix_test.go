//go:build unix

package rules

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"swop/config"
	"swop/internal/account"
)

// What does not decide what a look finds, each with the reason.
var undecided = map[string]string{
	"Subject.Layout.Places.Config":    "the settings in it decide",
	"Subject.Root.Config":             "the settings in it decide",
	"Subject.Root.Unknown":            "a newer program's",
	"Subject.Account.Dir":             "follows from the root and the key",
	"Subject.Account.Meta.Label":      "the key decides",
	"Subject.Account.Meta.Key":        "is the account's key",
	"Subject.Account.Meta.CreatedAt":  "is shown only",
	"Subject.Account.Meta.LastUsedAt": "is shown only",
	"Subject.Account.Meta.RealHome":   "Unchanged compares it",
	"Subject.Account.Meta.Unfinished": "the fast path asks it before",
	"Subject.Account.Meta.MovedFrom":  "the fast path asks it before",
	"Subject.Account.Meta.Bootstrap":  "says what an interrupted add goes on with",
	"Subject.Account.Meta.Unknown":    "a newer program's",
	"Settings.Codex":                  "says what runs",
	"Settings.Launch":                 "says what runs",
	"Settings.Common.Beside.Bridges":  "the fast path asks them before",
	"Settings.Accounts":               "gone through by itself",
	"Settings.Pools":                  "says which account",
	"Settings.Common.Beside.Commands": "the fast path asks them before",
	"Own.Common.Beside.Commands":      "the fast path asks them before",
	"Own.Login":                       "the fast path asks it before",
	"Own.Common.Beside.Bridges":       "the fast path asks them before",
	"Settings.Common.Confinement":     "says how it runs",
	"Own.Confine":                     "says how it runs",
	"Own.Common.Confinement":          "says how it runs",
}

// Every field of what a look depends on is in the sum of the inputs, or in the list above.
func TestInputsHaveEveryField(t *testing.T) {
	type inputs struct {
		Subject  Subject
		Settings config.Settings
		Own      config.AccountSettings
	}
	var in inputs
	in.Subject.Account.Key, in.Subject.Account.Meta.State = "work", account.StateShared
	sum := func() uint64 {
		in.Settings.Accounts = map[string]config.AccountSettings{"work": in.Own}
		return in.Subject.Inputs(in.Settings.For("work"))
	}
	checkFields(t, &in, sum)
}

// checkFields changes each field below v, one at a time, and compares the sums before and after.
func checkFields(t *testing.T, v any, sum func() uint64) {
	t.Helper()
	before, listed := sum(), maps.Clone(undecided)
	eachField("", reflect.ValueOf(v).Elem(), func(path string, field reflect.Value) {
		_, out := listed[path]
		delete(listed, path)
		was := reflect.New(field.Type()).Elem()
		was.Set(field)
		if field.Set(changed(t, path, field)); (sum() == before) != out {
			t.Errorf("a change of %s is noticed: %t, want %t", path, out, !out)
		}
		field.Set(was)
	})
	if len(listed) > 0 {
		t.Errorf("there are no such fields: %q", slices.Sorted(maps.Keys(listed)))
	}
}

// eachField calls f for each field that is no struct of ours, by its path. Fields that are listed are not gone into.
func eachField(path string, v reflect.Value, f func(string, reflect.Value)) {
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() // one that is not exported can be set, too
		if path != "" {
			name = path + "." + name
		}
		if _, out := undecided[name]; !out && field.Kind() == reflect.Struct {
			eachField(name, field, f)
		} else {
			f(name, field)
		}
	}
}

// changed returns another value than v.
func changed(t *testing.T, path string, v reflect.Value) reflect.Value {
	t.Helper()
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.String:
		to.SetString(v.String() + "x")
		if v.Type() == reflect.TypeFor[account.State]() {
			to.SetString(string(account.StatePrivate))
		}
	case reflect.Bool:
		to.SetBool(!v.Bool())
	case reflect.Uint8, reflect.Uint64:
		to.SetUint(v.Uint() + 1)
	case reflect.Int, reflect.Int64:
		to.SetInt(v.Int() + 1)
	case reflect.Slice:
		to.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Struct:
		f := to.Field(0)
		f.Set(changed(t, path, f))
	case reflect.Map:
		to.Set(reflect.MakeMap(v.Type()))
	default:
		t.Fatalf("%s is a %s: say here how it is changed", path, v.Type())
	}
	return to
}
