package session

import (
	"fmt"
	"time"

	"swop/internal/account/process"
)

// waiting says whom the call waits for, if it waits long for the lock on file, until arrived is called.
func waiting(say func(string), file string) (arrived func()) {
	const long = 2 * time.Second
	timer := time.AfterFunc(long, func() {
		text := "waiting for another command of swop"
		if holder, ok := process.LockHolder(file); ok {
			text += fmt.Sprintf(": pid %d (%s)", holder.PID, holder.Command)
		}
		say(text)
	})
	return func() { timer.Stop() }
}
