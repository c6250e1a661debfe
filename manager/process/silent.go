package process

// NoProcesses reports whether no process at all uses the account whose codex home is codexHome and whose lock file is lockFile, its
// background server included. The process called by the pid but does not count: it holds the account's lock for the caller.
func NoProcesses(codexHome, lockFile string, but int) (bool, error) {
	use, err := InUse(codexHome, lockFile)
	if err != nil {
		return false, err
	}
	for _, p := range use.Processes {
		if p.PID != but {
			return false, nil
		}
	}
	servers, err := ServerProcesses(codexHome)
	return len(servers) == 0, err
}
