package confine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"swop/config"
)

func TestNew(t *testing.T) {
	got := New(config.ConfineWorkspace, config.Confinement{
		Writable: []string{"~/src/", "/data", "~"}, Hidden: []string{"~/x"}, Shown: []string{"~/.ssh"},
		Ports: []int{5173}, Sockets: []string{config.SSHAgent, "~/x.sock"},
		Network: config.Network{Said: true, Hosts: []string{"a.example"}},
	}, "/home/me")
	want := Policy{
		config.ConfineWorkspace, config.Confinement{
			Writable: []string{"/home/me/src", "/data", "/home/me"}, Readonly: []string{},
			Hidden: []string{"/home/me/x"}, Shown: []string{"/home/me/.ssh"}, Ports: []int{5173},
			Sockets: []string{config.SSHAgent, "/home/me/x.sock"}, Network: config.Network{Said: true, Hosts: []string{"a.example"}},
			Git: config.GitRead, Fallback: config.FallbackRefuse,
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("New = %+v, want %+v", got, want)
	}
	if got := New(config.ConfineReadOnly, config.Confinement{Git: config.GitWrite}, "/home/me"); !got.Network.All ||
		got.Git != config.GitWrite || got.Fallback != config.FallbackRefuse {
		t.Errorf("the defaults are %+v", got)
	}
}

// TestPolicies: config.toml takes each policy, and what it gives is said here.
func TestPolicies(t *testing.T) {
	account := reflect.TypeOf(config.Settings{}.Accounts).Elem()
	key, _ := account.FieldByName("Confine")
	if got, want := key.Tag.Get("is"), strings.Join(config.Policies(), "|"); got != want {
		t.Errorf("config.toml takes %q, want %q", got, want)
	}
	gives := map[string]string{
		config.ConfineOff: "[] false", config.ConfineFull: "[] true", config.ConfineWorkspace: "[/w /x] false",
		config.ConfineReadOnly: "[] false",
	}
	for _, mode := range config.Policies() {
		p := Policy{mode, config.Confinement{Writable: []string{"/x"}}}
		if got := fmt.Sprint(p.Roots("/w"), p.HasHome()); got != gives[mode] {
			t.Errorf("%s gives %s, want %q", mode, got, gives[mode])
		}
	}
}
