//go:build windows && wine

package sys

// Unlinkable returns "": Wine says of its disks that they have no links.
func Unlinkable(string) string { return "" }
