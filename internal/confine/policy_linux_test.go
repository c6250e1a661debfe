package confine

import (
	"reflect"
	"slices"
	"testing"

	"swop/config"
)

func TestNew(t *testing.T) {
	got := New(config.ConfineWorkspace, config.Confinement{
		Writable: []string{"~/src/", "/data", "~"}, Hidden: []string{"~/x"}, Shown: []string{"~/.ssh"}, Own: []string{"~/.cache"},
		Ports: []int{5173}, Sockets: []string{config.SSHAgent, "~/x.sock"},
		Network: config.Network{Said: true, Hosts: []string{"a.example"}},
	}, "/home/me")
	want := Policy{
		Mode: config.ConfineWorkspace, Writable: []string{"/home/me/src", "/data", "/home/me"}, Readonly: []string{},
		Hidden: got.Hidden, Own: []string{"/home/me/.cache"}, Ports: []int{5173},
		Sockets: []string{config.SSHAgent, "/home/me/x.sock"}, Network: config.Network{Said: true, Hosts: []string{"a.example"}},
		Git: config.GitRead, Fallback: config.FallbackRefuse,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("New = %+v, want %+v", got, want)
	}
	if slices.Contains(got.Hidden, "/home/me/.ssh") || !slices.Contains(got.Hidden, "/home/me/.aws") || !slices.Contains(got.Hidden, "/home/me/x") {
		t.Errorf("it hides %q", got.Hidden)
	}
	if got := New(config.ConfineReadOnly, config.Confinement{Git: config.GitWrite}, "/home/me"); !got.Network.All ||
		got.Git != config.GitWrite || got.Fallback != config.FallbackRefuse {
		t.Errorf("the defaults are %+v", got)
	}
}
