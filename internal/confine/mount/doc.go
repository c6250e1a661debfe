// Package mount is the process between a confined session's supervisor and what runs inside. In a mount namespace of its own it makes what
// the session sees, once; it starts the session's first process in namespaces below, and programs that were allowed more beside it. Package
// confine says what is mounted.
package mount

// Name is the argv[0] of the process.
const Name = "swop-middle"
