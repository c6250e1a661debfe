package pool

import (
	"fmt"
	"testing"
)

func TestLast(t *testing.T) {
	var l Last
	for i := range maxLast + 10 {
		l = l.With(Chosen{Dir: fmt.Sprintf("/%d", i), Key: "a"})
	}
	l = l.With(Chosen{Dir: "/500", Key: "b"})
	if len(l) != maxLast || l.Of("/9").Key != "" || l.Of("/10").Key != "a" || l.Of("/500").Key != "b" {
		t.Errorf("%d directories, %q, %q, %q", len(l), l.Of("/9").Key, l.Of("/10").Key, l.Of("/500").Key)
	}
	if l = l.Rename("b", "c"); l.Of("/500").Key != "c" {
		t.Errorf("renamed it is %q", l.Of("/500").Key)
	}
	if l = l.Rename("a", ""); len(l) != 1 {
		t.Errorf("after the removal there are %d", len(l))
	}
}
