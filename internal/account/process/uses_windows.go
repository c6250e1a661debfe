package process

// Uses reports that this system does not tell whether a process uses the entry at a path.
func Uses(string) (used, known bool, err error) { return false, false, nil }
