package confine

import (
	"swop/config"
	"swop/confine/mountns"
)

// RunProcess runs the process of a confined start whose argv[0] is name, and returns its exit status. ok is false if name is no such process.
func RunProcess(name string, args []string, env config.Env) (status int, ok bool) {
	switch name {
	case HelperPath:
		return runHelper(args, env), true
	case mountns.Name:
		if len(args) > 0 {
			return mountns.Try(args), true
		}
		return mountns.Run(), true
	}
	return 0, false
}
