package process

import (
	"os"
	"slices"
	"strings"
)

// Naming returns a process of this user that has the directory, or a path below it, in an argument, and whether there is one. This process
// and those above it do not count. A daemon that hides its environment, as gpg-agent does, is known by its arguments alone.
func Naming(dir string) (p Process, found bool, err error) {
	survey, err := TakeSurvey()
	if err != nil {
		return Process{}, false, err
	}
	t := survey.table(nil)
	above := t.ancestors(os.Getpid())
	for pid, p := range t {
		if pid == os.Getpid() || slices.ContainsFunc(above, func(a Process) bool { return a.PID == pid }) {
			continue
		}
		p.describe()
		if slices.ContainsFunc(p.args, func(arg string) bool { return strings.HasSuffix(arg, dir) || strings.Contains(arg, dir+"/") }) {
			return p, true, nil
		}
	}
	return Process{}, false, nil
}
