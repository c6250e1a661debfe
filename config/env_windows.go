package config

import "strings"

// HomeVariable names the user's home. Programs find the profile without HOME, which shells from Unix set.
const HomeVariable = "USERPROFILE"

// defaultIsolation is the only one that Windows has.
const defaultIsolation = IsolateCodexHome

// sameName reports whether both names are of one variable: Windows does not tell capitals.
func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// checkIsolation returns why this system does not have the isolation, "" where it does.
func checkIsolation(isolation string) string {
	if isolation == IsolateHome {
		return "is not possible on Windows, where programs find the profile without HOME"
	}
	return ""
}

// reservedName returns why no directory can be called key, "" where one can.
func reservedName(key string) string {
	if IsDeviceName(key) {
		return "is the name of a device on Windows"
	}
	return ""
}
