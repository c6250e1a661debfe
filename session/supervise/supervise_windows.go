// Package supervise runs a program as a child, as if it had been exec'd in this process's place. It knows nothing of accounts.
package supervise

import (
	"swop/shim/child"
)

// Child is a program that runs under this process.
type Child = child.Child

// Start starts the program at path in a job that ends with this process.
func Start(path string, args, env []string) (Child, error) { return child.Start(path, args, env) }

// Run runs what start starts, until it has ended, and calls end then. It returns the exit status; the error is start's. Keys reach the child by
// the console.
func Run(start func() (Child, error), end func()) (int, error) {
	defer child.Wait()()
	c, err := start()
	if err != nil {
		return 0, err
	}
	status, err := c.End()
	end()
	return status, err
}
