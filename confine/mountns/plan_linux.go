package mountns

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

// Plan is what [Run] is to do. It comes in a file, in which strings are kept whatever bytes they have.
type Plan struct {
	Stage     string // a directory that is not needed any more when all is mounted
	Program   string // bubblewrap
	Args, Env []string
	Mounts    []Mount
}

func (p Plan) Text() string {
	mounts := make([]string, 0, 3*len(p.Mounts))
	for _, m := range p.Mounts {
		mounts = append(mounts, strconv.Itoa(int(m.Kind)), m.Source, m.Target)
	}
	var all []string
	for _, list := range [][]string{{p.Stage, p.Program}, p.Args, p.Env, mounts} {
		all = append(append(all, strconv.Itoa(len(list))), list...)
	}
	return NulSeparated(all)
}

// errPlan says that a plan is not one that [Plan.Text] has made.
var errPlan = errors.New("the plan of the session is damaged")

func readPlan(file *os.File) (p Plan, err error) {
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
	p = Plan{Stage: places[0], Program: places[1], Args: lists[1], Env: lists[2]}
	for ; len(mounts) > 0; mounts = mounts[3:] {
		k, err := strconv.ParseUint(mounts[0], 10, 8)
		if err != nil {
			return p, errPlan
		}
		p.Mounts = append(p.Mounts, Mount{Kind(k), mounts[1], mounts[2]})
	}
	return p, nil
}
