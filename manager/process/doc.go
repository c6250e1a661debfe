// Package process finds out who uses an account, from the processes that are there, and stops the account's background server. It is
// not part of package manager because the shim, which links that one, pays for what it links on each call.
package process
