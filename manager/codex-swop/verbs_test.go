//go:build unix

package main

import (
	"slices"
	"testing"

	"swop/internal/test/testcall"
	"swop/internal/test/testhome"
)

// A verb that is called is made alone, under its own name and with the same help as among the others.
func TestVerbAlone(t *testing.T) {
	a := testcall.New(t)
	all := root(a)
	for _, v := range allVerbs() {
		name := v.name
		a.Args = []string{name}
		cmd, _, err := root(a).Find(a.Args)
		if err != nil || cmd.Name() != name {
			t.Errorf("%s alone is %q, %v", name, cmd.Name(), err)
			continue
		}
		among, _, err := all.Find(a.Args)
		testhome.NoError(t, err)
		if alone, want := helpText(cmd), helpText(among); alone != want || !slices.Equal(cmd.SuggestFor, among.SuggestFor) {
			t.Errorf("help of %s alone is %q, want %q", name, alone, want)
		}
	}
}
