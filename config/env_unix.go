//go:build unix

package config

// HomeVariable names the user's home.
const HomeVariable = "HOME"

// defaultIsolation is that of accounts for which config.toml names none.
const defaultIsolation = IsolateHome

func sameName(a, b string) bool { return a == b }

// checkIsolation returns why this system does not have the isolation, "" where it does.
func checkIsolation(string) string { return "" }

// reservedName returns why no directory can be called key, "" where one can.
func reservedName(string) string { return "" }
