// Package store creates, finds, renames and removes accounts.
package store
