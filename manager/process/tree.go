package process

// Tree returns what is alive of this user's process pid, of all that descends from it, and of the session that it leads or led. A
// process that left its session and outlived its parent is not found.
func Tree(pid int) ([]Process, error) {
	list, err := ListProcesses()
	if err != nil {
		return nil, err
	}
	t := make(ProcessTable, len(list))
	for _, p := range list {
		t[p.PID] = p
	}
	var tree []Process
	for _, p := range list {
		if t.under(p, pid) {
			tree = append(tree, p)
		}
	}
	return tree, nil
}

// under says whether p is the process pid, is in its session or descends from it.
func (t ProcessTable) under(p Process, pid int) bool {
	if p.PID == pid || p.session == pid || p.Parent == pid {
		return true
	}
	for _, up := range t.Above(p.PID) {
		if up.PID == pid {
			return true
		}
	}
	return false
}
