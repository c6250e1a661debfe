package pool

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestKnownText(t *testing.T) {
	for _, k := range []Known{
		{Dir: File{7, 8}, Accounts: []Account{}},
		{Dir: File{1 << 63, -5}, Accounts: []Account{chat("a", 10, 20), unread("b"), out("c"), key("k"), marked(chat("d", 0, 100), hour), refused("e")}},
		{Accounts: []Account{{Key: "a", Login: ChatGPT, File: File{1<<64 - 1, 3}, ReadAt: 4, BlockedUntil: 5, Windows: []Window{{0, 100, 6}}}}},
	} {
		text := string(k.Text())
		var got Known
		if !got.Parse(text) || !reflect.DeepEqual(got, k) {
			t.Errorf("Parse(%q)\n = %+v, want %+v", text, got, k)
		}
		for i := range len(text) {
			if torn := new(Known); torn.Parse(text[:i]) {
				t.Errorf("Parse(%q) reads a torn file", text[:i])
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const good = "swop-usage 1 7 8\na chatgpt 1 2 3 4 300:10:1000\nend\n"
	if !new(Known).Parse(good) {
		t.Fatalf("Parse(%q) = false", good)
	}
	for _, change := range [][2]string{
		{"swop-usage 1", "swop-usage 2"},
		{"swop-usage", "\xff"},
		{" 7 8", " 7"},
		{" 7 8", " 7 8 9"},
		{"chatgpt", "robot"},
		{"a chatgpt", " chatgpt"},
		{"1 2 3 4", "1 2 3"},
		{"1 2 3 4", "1 2 x 4"},
		{"300:10:1000", "300:10"},
		{"300:10:1000", "300:101:1000"},
		{"300:10:1000", "300:-1:1000"},
		{"end\n", "end"},
		{"end\n", "end\nend\n"},
		{"end\n", ""},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if new(Known).Parse(text) {
			t.Errorf("Parse(%q) = true", text)
		}
	}
}

func FuzzKnown(f *testing.F) {
	f.Add("swop-usage 1 7 8\na chatgpt 1 2 3 4 300:10:1000\nend\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		var k, again Known
		if k.Parse(text) && (!again.Parse(string(k.Text())) || !reflect.DeepEqual(k, again)) {
			t.Errorf("Parse(%q) = %+v, and its text gives %+v", text, k, again)
		}
	})
}

func TestLast(t *testing.T) {
	dirs := []string{"/", "/a", "/a b", `/a "b"`, "/a\nb", "/\xff", `/x" "/a`, "/a\\"}
	var l Last
	for i, dir := range dirs {
		l = l.With(dir, fmt.Sprintf("key%d", i))
	}
	for i, dir := range dirs {
		if got, want := l.Of(dir), fmt.Sprintf("key%d", i); got != want {
			t.Errorf("Of(%q) = %q, want %q, in %q", dir, got, want, l)
		}
	}
	for _, dir := range []string{"", "/b", "b", "a", "/a b\"", `"/a"`} {
		if got := l.Of(dir); got != "" {
			t.Errorf("Of(%q) = %q, want none", dir, got)
		}
	}
	if got := l.With("/a", "other").With("/a", "key1"); got.Of("/a") != "key1" || strings.Count(string(got), ` "/a"`+"\n") != 1 {
		t.Errorf("With twice gives %q", got)
	}
	for _, bad := range []Last{"nonsense\n", "swop-last 2\na \"/a\"\n", "a \"/a\"\n", "swop-last 1"} {
		if got := bad.Of("/a"); got != "" || bad.With("/a", "b").Of("/a") != "b" {
			t.Errorf("%q: Of = %q", bad, got)
		}
	}
	many := Last("")
	for i := range maxLast + 10 {
		many = many.With(fmt.Sprintf("/%d", i), "a")
	}
	if n := strings.Count(string(many), "\n"); n != 1+maxLast || many.Of("/9") != "" || many.Of("/10") != "a" {
		t.Errorf("%d lines of many directories, want %d", n, 1+maxLast)
	}
}
