package confine

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

// plan is what [RunMiddle] is to do. It comes in a file, in which strings are kept whatever bytes they have.
type plan struct {
	stage     string // a directory that is not needed any more when all is mounted
	program   string // bubblewrap
	args, env []string
	mounts    []mount
}

func (p plan) text() string {
	mounts := make([]string, 0, 3*len(p.mounts))
	for _, m := range p.mounts {
		mounts = append(mounts, strconv.Itoa(int(m.kind)), m.source, m.target)
	}
	var all []string
	for _, list := range [][]string{{p.stage, p.program}, p.args, p.env, mounts} {
		all = append(append(all, strconv.Itoa(len(list))), list...)
	}
	return nulSeparated(all)
}

// errPlan says that a plan is not one that plan.text has made.
var errPlan = errors.New("the plan of the session is damaged")

func readPlan(file *os.File) (p plan, err error) {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<30))
	if err != nil {
		return p, err
	}
	all := strings.Split(string(text), "\x00")
	var lists [4][]string
	for i := range lists {
		n, err := strconv.Atoi(all[0])
		if err != nil || n < 0 || n >= len(all)-1 {
			return p, errPlan
		}
		lists[i], all = all[1:n+1], all[n+1:]
	}
	places, mounts := lists[0], lists[3]
	if len(places) != 2 || len(mounts)%3 != 0 || len(mounts) == 0 {
		return p, errPlan
	}
	p = plan{stage: places[0], program: places[1], args: lists[1], env: lists[2]}
	for ; len(mounts) > 0; mounts = mounts[3:] {
		k, err := strconv.ParseUint(mounts[0], 10, 8)
		if err != nil {
			return p, errPlan
		}
		p.mounts = append(p.mounts, mount{kind(k), mounts[1], mounts[2]})
	}
	return p, nil
}
