//go:build unix

package session

import (
	"os"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"
)

// passwdHome returns the home that the password database has for the user.
func passwdHome() (string, error) {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// homeOwner returns the user that owns home, 0 where it is not known.
func homeOwner(home string) int {
	var st unix.Stat_t
	if unix.Stat(home, &st) != nil {
		return 0
	}
	return int(st.Uid)
}
