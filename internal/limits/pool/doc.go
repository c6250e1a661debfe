// Package pool chooses the account that a start takes from a pool, by what is known of its accounts. It asks nobody: package usage writes
// what it reads.
package pool
