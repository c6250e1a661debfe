package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"swop/internal/account/process"
)

// tellAfter is how long a call waits for another before it says so.
const tellAfter = 2 * time.Second

// waiting says whom the call waits for, if it waits long for the lock on file, until arrived is called.
func waiting(say func(string), file string) (arrived func()) {
	timer := time.AfterFunc(tellAfter, func() {
		holder, ok := process.LockHolder(file)
		if !ok {
			say("waiting for another command of swop")
			return
		}
		say("waiting for " + describe(holder, file))
	})
	return func() { timer.Stop() }
}

// describe says who holds the lock on file, and for which account: the one whose lock it holds too.
func describe(h process.Process, file string) string {
	text := fmt.Sprintf("pid %d (%s)", h.PID, h.Command)
	for _, open := range h.OpenFiles() {
		if key := filepath.Base(open); filepath.Dir(open) == filepath.Dir(file) && !strings.HasPrefix(key, ".") {
			text += fmt.Sprintf(", of the account %q", key)
			break
		}
	}
	if h.Stopped {
		text += fmt.Sprintf("; it is stopped, to let it go on: kill -CONT %d", h.PID)
	}
	return text
}
