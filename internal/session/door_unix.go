//go:build unix

package session

import "swop/internal/session/supervise"

// Supervise runs the program as if it had been exec'd, with these streams: see [supervise.Run]. started is called once it has them.
func (e Errand) Supervise(streams [3]uintptr, started, end func()) (status int, err error) {
	return supervise.Run(func() (supervise.Child, error) {
		defer started()
		return supervise.StartWith(e.program.Path, e.program.Args, e.program.Env, streams)
	}, end)
}
