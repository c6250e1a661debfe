package bridge

// Ports returns the ports of the bridges in these directories.
func Ports(dirs []string) (list []int) {
	for _, dir := range dirs {
		list = append(list, portsIn(dir)...)
	}
	return list
}
