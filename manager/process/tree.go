//go:build linux || darwin

package process

// tree returns the live processes of this user that are pid, descend from it, or are in the session that it leads or led. A process
// that left its session and outlived its parent is not found.
func tree(pid int) ([]Process, error) {
	list, err := readProcesses()
	if err != nil {
		return nil, err
	}
	t := make(Table, len(list))
	for _, p := range list {
		t[p.PID] = p
	}
	var found []Process
	for _, p := range list {
		if p.PID == pid || p.session == pid || p.parent == pid || t.descends(p.PID, pid) {
			found = append(found, p)
		}
	}
	return found, nil
}
