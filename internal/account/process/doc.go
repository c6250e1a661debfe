// Package process lists the processes of this user and answers from them: which use an account, and which is its background
// server. It also ends a process with all that descends from it.
package process
