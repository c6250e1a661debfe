// Package mountns is the process between a confined session's supervisor and bubblewrap. In a mount namespace of its own it makes what the
// session sees, and changes that while it runs. Package confine says what is mounted.
package mountns

// Name is the argv[0] of the process.
const Name = "swop-middle"

// Profile is the name of AppArmor's profile for codex-swop.
const Profile = "codex-swop"
