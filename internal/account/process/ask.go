package process

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// output keeps what a program prints, at most this many bytes. What goes beyond that is an error, which ends the copying.
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

// Ask runs a program in a session of its own, without a terminal, and returns what it prints on stdout: an error if that is more than limit
// bytes. When the program ends, the rest of its session gets SIGHUP. When ctx ends, all of it is killed, and the error is ctx's. On Windows
// a program has no session, and is killed alone.
func Ask(ctx context.Context, program exec.Cmd, limit int) (string, error) {
	out := output{most: limit}
	cmd := exec.CommandContext(ctx, program.Path)
	cmd.Args, cmd.Env, cmd.Dir, cmd.Stdout = program.Args, program.Env, program.Dir, &out
	leave := isolate(cmd)
	cmd.WaitDelay = time.Second // for what it left running with our pipe
	err := cmd.Run()
	leave()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out.text), err
}
