package mountns

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzPlan: a plan is read as it was written, whatever bytes its strings have, and any other text is refused or read.
func FuzzPlan(f *testing.F) {
	for _, seed := range []string{"", "2\x00", "2\x00a\x00b\x000\x000\x003\x001\x00/\x00/\x00", "-1\x00", "9\x00", "2\x00a\x00b\x000\x000\x003\x00x\x00/\x00/\x00", "99999999999999999999\x00"} {
		f.Add(seed, "/a\xff\"\n", "")
	}
	f.Fuzz(func(t *testing.T, text, one, other string) {
		read := func(text string) (Plan, error) {
			file := filepath.Join(t.TempDir(), "plan")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			opened, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			return readPlan(opened)
		}
		if p, err := read(text); err == nil && len(p.Mounts) == 0 {
			t.Errorf("%q is read as %+v, without a root", text, p)
		}
		if strings.ContainsRune(one+other, 0) {
			return // no path, argument or variable has one
		}
		p := Plan{
			Stage: one, Program: other, Args: []string{other, "", one}, Env: []string{one + "=" + other},
			Mounts: []Mount{{Kind: Readonly, Source: "/", Target: "/"}, {Kind: Link, Source: one, Target: other}},
		}
		if got, err := read(p.Text()); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v is read as %+v, %v", p, got, err)
		}
	})
}
