package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"swop/config"
)

// Program is a program to start.
type Program struct {
	Path  string
	Args  []string // argv[0] first
	Env   config.Env
	Dir   string     // "" for the caller's
	Files []*os.File // that are open in it, too; none on Windows
}

// output holds the output of a program, of most bytes at most. More is an error, which ends the copying.
type output struct {
	most int
	text []byte
}

func (o *output) Write(p []byte) (int, error) {
	if len(o.text)+len(p) > o.most {
		return 0, errors.New("it prints too much")
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

// Ask runs a program beside this process: see [Command]. It returns the program's standard output; more than limit bytes are an error. When
// the program ends, the rest of its session gets SIGHUP. When ctx ends, the whole session is killed, and the error is ctx's.
func Ask(ctx context.Context, program Program, limit int) (string, error) {
	out := output{most: limit}
	cmd, rest := Command(ctx, program, syscall.SIGKILL)
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second // for processes that the program left with the pipe
	err := cmd.Run()
	rest(syscall.SIGHUP)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out.text), err
}
