//go:build unix

package config

// homeVariable names the user's home.
const homeVariable = "HOME"

// defaultIsolation is that of accounts for which config.toml names none.
const defaultIsolation = IsolateHome

func sameName(a, b string) bool { return a == b }
