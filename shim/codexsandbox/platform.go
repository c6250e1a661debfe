package codexsandbox

import (
	"fmt"
)

// Platform is the system whose sandbox to use. The zero Platform is the host's.
type Platform string

// The platforms. The oldest releases of codex call the sandboxes of the first two seatbelt and landlock.
const (
	Host    Platform = ""
	MacOS   Platform = "macos"
	Linux   Platform = "linux"
	Windows Platform = "windows"
)

// ParsePlatform returns the platform with this name or alias: macos or seatbelt, linux or landlock, windows, and "" for the host's. Any
// other is a [*RequestError].
func ParsePlatform(name string) (Platform, error) {
	switch name {
	case "":
		return Host, nil
	case "macos", "seatbelt":
		return MacOS, nil
	case "linux", "landlock":
		return Linux, nil
	case "windows":
		return Windows, nil
	}
	return Host, refuse("no platform %q: use macos (seatbelt), linux (landlock) or windows", name)
}

// platformOf returns the platform of a system as runtime.GOOS names it.
func platformOf(goos string) (Platform, error) {
	switch goos {
	case "darwin":
		return MacOS, nil
	case "linux", "windows":
		return Platform(goos), nil
	}
	return Host, fmt.Errorf("codex has no sandbox for %s", goos)
}
