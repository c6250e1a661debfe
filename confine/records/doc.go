// Package records takes what codex recorded in a confined session into the directories that all sessions share, by name, type and content:
// transcripts, in the directories of their dates, which are regular files and only grow. It reads what a hostile program may have written.
package records
