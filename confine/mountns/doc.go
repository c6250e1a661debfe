// Package mountns is the process between a confined session's supervisor and what runs inside. In a mount namespace of its own it makes what the
// session sees, and changes that while it runs; it starts the session's first process in namespaces below. Package confine says what is mounted.
package mountns

// Name is the argv[0] of the process.
const Name = "swop-middle"
