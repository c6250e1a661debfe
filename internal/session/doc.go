// Package session is the slow path of a call of codex, and what the verbs need of it: it finds who calls from inside a session, prepares an
// account, and says what is wrong. Package shim has the order of the questions.
package session
