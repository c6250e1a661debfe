package shim

import (
	"errors"
	"reflect"
	"testing"

	"swop/config"
)

func TestChooseSelected(t *testing.T) {
	gone := errors.New("gone")
	in := func(dir string) func() (string, error) { return func() (string, error) { return dir, nil } }
	lost := func() (string, error) { return "", gone }
	never := func() (string, error) {
		t.Error("the working directory was asked for")
		return "", gone
	}
	bound := config.Selector{Account: "general", Directory: []config.Binding{{Path: "/a", Account: "a"}, {Path: "/a/b", Account: "b"}}}
	alone := config.Selector{Directory: bound.Directory}
	for _, tt := range []struct {
		name string
		s    config.Selector
		dir  func() (string, error)
		want Choice
		err  error
	}{
		{"nothing", config.Selector{}, never, Choice{Why: ByNothing}, nil},
		{"account", config.Selector{Account: "x"}, never, Choice{Label: "x", Why: BySelector}, nil},
		{"bound", bound, in("/a/c"), Choice{Label: "a", Why: ByBinding, Path: "/a"}, nil},
		{"bound deeper", bound, in("/a/b/c"), Choice{Label: "b", Why: ByBinding, Path: "/a/b"}, nil},
		{"elsewhere", bound, in("/ab"), Choice{Label: "general", Why: BySelector}, nil},
		{"elsewhere, no account", alone, in("/"), Choice{Why: ByNothing}, nil},
		{"lost, bindings", bound, lost, Choice{}, gone},
		{"lost, no account", alone, lost, Choice{}, gone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got Choice
			if err := got.fromSelector(&tt.s, tt.dir); !reflect.DeepEqual(got, tt.want) || !errors.Is(err, tt.err) {
				t.Errorf("fromSelector = %+v, %v, want %+v, %v", got, err, tt.want, tt.err)
			}
		})
	}
}
