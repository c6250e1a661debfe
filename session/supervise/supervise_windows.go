// Package supervise runs a program as a child, as if it had been exec'd in this process's place. It knows nothing of accounts.
package supervise

import "swop/shim/child"

// Child is a program that runs under this process.
type Child = child.Child

// Start starts the program at path in a job that ends with this process.
func Start(path string, args, env []string) (Child, error) { return child.Start(path, args, env) }

// Run is [child.Run].
func Run(start func() (Child, error), end func()) (int, error) { return child.Run(start, end) }
