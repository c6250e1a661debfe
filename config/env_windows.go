package config

import "strings"

// homeVariable names the user's home. Programs find the profile without HOME, which shells from Unix set.
const homeVariable = "USERPROFILE"

// defaultIsolation is the only one that Windows has.
const defaultIsolation = isolateCodexHome

// sameName reports whether both names are of one variable: Windows does not tell capitals.
func sameName(a, b string) bool { return strings.EqualFold(a, b) }
