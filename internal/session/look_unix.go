//go:build unix

package session

import (
	"os"
	"os/user"
	"strconv"
)

// passwdHome returns the home that the password database has for the user.
func passwdHome() (string, error) {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
