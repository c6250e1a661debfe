package pool

import (
	"fmt"
	"reflect"
	"testing"
)

func TestKnown(t *testing.T) {
	accounts := []Account{chat("a", 10, 20), unread("b"), out("c"), key("k"), marked(chat("d", 0, 100), hour)}
	k := Known{SchemaVersion: knownVersion, Dir: File{1<<64 - 1, -5}, Accounts: accounts}
	text := string(k.Text())
	var got Known
	if !got.Parse(text) || !reflect.DeepEqual(got, k) {
		t.Errorf("Parse(%q)\n = %+v, want %+v", text, got, k)
	}
	for _, bad := range []string{"", text[:len(text)-1], text +
		text, `{"schema_version":3}`, "null", `{"schema_version":2,"accounts":[{"windows":7}]}`} {
		if new(Known).Parse(bad) {
			t.Errorf("Parse(%q) = true", bad)
		}
	}
}

func TestLast(t *testing.T) {
	var l Last
	for i := range maxLast + 10 {
		l = l.With(fmt.Sprintf("/%d", i), "a")
	}
	l = l.With("/500", "b")
	if len(l) != maxLast || l.Of("/9") != "" || l.Of("/10") != "a" || l.Of("/500") != "b" {
		t.Errorf("%d directories, %q, %q, %q", len(l), l.Of("/9"), l.Of("/10"), l.Of("/500"))
	}
	if l = l.Rename("b", "c"); l.Of("/500") != "c" {
		t.Errorf("renamed it is %q", l.Of("/500"))
	}
	if l = l.Rename("a", ""); len(l) != 1 {
		t.Errorf("after the removal there are %d", len(l))
	}
}
