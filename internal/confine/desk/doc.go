// Package desk keeps what the programs of a confined session ask for beyond its policy, what the user answers, and the answers that hold
// for sessions to come. Package confine gives what is allowed.
package desk
