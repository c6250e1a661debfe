// Package process lists the processes of this user and answers from them: who uses an account, and which of them is its background
// server. It also ends a process with all that descends from it.
package process
