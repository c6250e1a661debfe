//go:build unix && !linux

package install

// beChild is for the tests that kill a run, which Linux alone can.
func beChild() {}
