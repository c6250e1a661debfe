//go:build unix

package desk

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"swop/internal/testhome"
	"swop/say"
)

// keptAnswers are answers of each kind, with what is hard to write.
var keptAnswers = []Answer{
	{Workspace: "/home/me/a b", Ask: Ask{Kind: KindWrite, Target: "/home/me/\"\\é["}, Allow: true},
	{Workspace: "/home/me/a b", Ask: Ask{Kind: KindRead, Target: "/home/me/.aws"}},
	{Workspace: "/", Ask: Ask{Kind: KindConnect, Target: "example.com:443"}, Allow: true},
	{Workspace: "/", Ask: Ask{Kind: KindBridge, Target: "github", Rule: "repo:a/b"}},
}

// FuzzAnswers reads any text as the answers that were given for always: it is refused, or means the same when it is written again; and the
// start of a file that was written gives no more than all of it.
func FuzzAnswers(f *testing.F) {
	kept, err := answersText(keptAnswers)
	testhome.NoError(f, err)
	for _, seed := range []string{
		"", kept, kept[:len(kept)/2], "answer = 1", "[[answer]]\n", "[[answer]]\nworkspace = \"/\"\nkind = \"read\"\ntarget = \"/x\"\nmore = 1\n",
		"[[answer]]\nworkspace = \"/\"\nkind = \"all\"\ntarget = \"/x\"\nallow = true\n",
		"[[answer]]\nworkspace = \"/\"\nkind = \"write\"\ntarget = \"x\\u0000\"\nallow = true\n",
		"x = " + strings.Repeat("[", 1<<10), "x = " + strings.Repeat("{a=", 1<<10), "answer = [" + strings.Repeat("{},", 1<<10) + "]", "\x00", "\xff", "a=\x1b[31m",
	} {
		f.Add(seed, uint16(len(seed)/2))
	}
	f.Fuzz(func(t *testing.T, text string, torn uint16) {
		list, err := parseAnswers(text)
		if err != nil {
			return
		}
		written, err := answersText(list)
		if err != nil {
			return
		}
		if again, err := parseAnswers(written); err != nil || !reflect.DeepEqual(again, list) {
			t.Errorf("%q is read as %v, and written and read again as %v, %v", text, list, again, err)
		}
		part, _ := parseAnswers(written[:min(int(torn), len(written))])
		for _, a := range part {
			if a.Allow && !slices.ContainsFunc(list, func(of Answer) bool { return reflect.DeepEqual(of, a) }) {
				t.Errorf("the first %d bytes of %q allow %v", torn, written, a)
			}
		}
	})
}

// TestAnswersHuge: a file that is too large to be read is refused, whatever is in it.
func TestAnswersHuge(t *testing.T) {
	dir := t.TempDir()
	testhome.NoError(t, os.MkdirAll(filepath.Dir(AnswersFile(dir, "work")), 0o700))
	for _, unit := range []string{"[", "{a=", "a.", "#"} {
		testhome.NoError(t, os.WriteFile(AnswersFile(dir, "work"), []byte("x = "+strings.Repeat(unit, 4<<20)), 0o600))
		if list, err := ReadAnswers(dir, "work"); err == nil || len(list) > 0 || len(say.Hints(err)) != 1 {
			t.Errorf("a file of %q is read as %v, %v", unit, list, err)
		}
	}
	long := Answer{Account: "other", Workspace: "/", Ask: Ask{Kind: KindRead, Target: "/" + strings.Repeat("x", maxAnswers)}}
	testhome.NoError(t, os.MkdirAll(filepath.Dir(AnswersFile(dir, "other")), 0o700))
	if err := KeepAnswer(dir, long); err == nil {
		t.Error("what could not be read again is written")
	}
}

// TestKeepAnswer: an answer is in the place of an earlier one to the same question, and in no other's.
func TestKeepAnswer(t *testing.T) {
	dir := t.TempDir()
	testhome.NoError(t, os.MkdirAll(filepath.Dir(AnswersFile(dir, "work")), 0o700))
	var want []Answer
	for i, a := range append(keptAnswers, Answer{Workspace: "/", Ask: Ask{Kind: KindConnect, Target: "example.com:443"}}) {
		a.Account = "work"
		testhome.NoError(t, KeepAnswer(dir, a))
		want = append(want, a)
		if i == len(keptAnswers) {
			want = slices.Delete(want, 2, 3) // which allowed it
		}
	}
	if got, err := ReadAnswers(dir, "work"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("kept: %+v, %v, want %+v", got, err, want)
	}
	if got, err := ReadAnswers(dir, "other"); err != nil || len(got) > 0 {
		t.Errorf("another account has %+v, %v", got, err)
	}
}
