//go:build unix

package main

import (
	"slices"
	"testing"
)

// A verb that is called is made alone, under its own name and with the same help as among the others.
func TestVerbAlone(t *testing.T) {
	a := testApp(t)
	all := a.root()
	for _, v := range allVerbs() {
		name := v.name
		a.args = []string{name}
		cmd, _, err := a.root().Find(a.args)
		if err != nil || cmd.Name() != name {
			t.Errorf("%s alone is %q, %v", name, cmd.Name(), err)
			continue
		}
		among, _, err := all.Find(a.args)
		if err != nil {
			t.Fatal(err)
		}
		if alone, want := a.helpText(cmd), a.helpText(among); alone != want || !slices.Equal(cmd.SuggestFor, among.SuggestFor) {
			t.Errorf("help of %s alone is %q, want %q", name, alone, want)
		}
	}
}
