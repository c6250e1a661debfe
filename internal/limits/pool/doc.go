// Package pool chooses the account that a start takes from a pool, by the last readings of limits. It asks nobody: package usage writes the
// file that pool reads.
package pool
