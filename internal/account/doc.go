// Package account says what an account is and where it lies: meta.json and root.json, locks, and who may reach the directories. It reads
// what swop itself wrote; package store reads everything else.
package account
