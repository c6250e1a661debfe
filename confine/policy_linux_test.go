package confine

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"swop/config"
)

func TestNew(t *testing.T) {
	got := New(config.ConfineWorkspace, config.Confinement{
		Writable: []string{"~/src/", "/data", "~"}, Hidden: []string{"~/.aws"}, Sockets: []string{config.SSHAgent, "~/x.sock"},
		Network: config.Network{Said: true, Hosts: []string{"a.example"}},
	}, "/home/me")
	want := Policy{
		Mode: config.ConfineWorkspace, Writable: []string{"/home/me/src", "/data", "/home/me"}, Readonly: []string{}, Hidden: []string{"/home/me/.aws"},
		Sockets: []string{config.SSHAgent, "/home/me/x.sock"}, Network: Network{Hosts: []string{"a.example"}}, Fallback: config.FallbackRefuse, OnRequest: []string{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("New = %+v, want %+v", got, want)
	}
	if got := New(config.ConfineReadOnly, config.Confinement{}, "/home/me"); !got.Network.All || got.Fallback != config.FallbackRefuse {
		t.Errorf("the defaults are %+v", got)
	}
}

// roundTrip checks that a policy comes back from JSON and from TOML as it was.
func roundTrip(t *testing.T, p Policy) {
	t.Helper()
	text, err := json.Marshal(p)
	var back Policy
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("%+v\n is in JSON %s\nand comes back as %+v, %v", p, text, back, err)
	}
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(p); err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	back = Policy{Writable: []string{}, Readonly: []string{}, Hidden: []string{}, Sockets: []string{}, OnRequest: []string{}} // what is empty is left out
	if _, err := toml.Decode(b.String(), &back); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("%+v\n is in TOML %s\nand comes back as %+v, %v", p, b.String(), back, err)
	}
}

func TestPolicyRoundTrip(t *testing.T) {
	for _, network := range []Network{{All: true}, {}, {Hosts: []string{"a.example", "*.b.example:443", "[::1]:80"}}} {
		p := New(config.ConfineWorkspace, config.Confinement{Writable: []string{"~/a b", "/é\"\\"}, Sockets: []string{config.SSHAgent}}, "/home/me")
		p.Network = network
		roundTrip(t, p)
	}
}

func TestPolicyRefuses(t *testing.T) {
	for _, text := range []string{`{"network": "no"}`, `{"network": [1]}`, `{"network": ["http://a"]}`, `{"network": {}}`} {
		var p Policy
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s is read as %+v", text, p)
		}
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("/a", ".env", "a.example:443", "ssh-agent", true)
	f.Add("~/x", "b", "[::1]", "/s", false)
	f.Fuzz(func(t *testing.T, path, name, host, socket string, all bool) {
		text, err := toml.Marshal(map[string]any{"confinement": map[string]any{"writable": []string{path}, "readonly": []string{name}, "network": []string{host}, "sockets": []string{socket}}})
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if _, err := toml.Decode(string(text), &tree); err != nil {
			return // no UTF-8
		}
		table := &config.Table{}
		inner := &config.Table{}
		for key, value := range tree["confinement"].(map[string]any) {
			inner.Set(key, value)
		}
		table.Set("confinement", inner)
		s, err := config.DecodeSettings(table)
		if err != nil {
			return
		}
		p := New(config.ConfineWorkspace, s.ConfinementOf("work"), "/home/me")
		p.Network.All = all
		if all {
			p.Network.Hosts = nil
		}
		for _, root := range p.Writable {
			if !strings.HasPrefix(root, "/") || strings.Contains(root, "/../") || strings.ContainsRune(root, 0) {
				t.Errorf("%q gives the writable root %q", path, root)
			}
		}
		roundTrip(t, p)
	})
}
