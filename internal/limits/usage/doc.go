// Package usage asks the real codex for an account's limits, and stores the answers. It opens no connection and reads no token: codex asks
// its own server, with the account's own login.
package usage
