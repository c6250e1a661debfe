// Package journal takes entries out of the homes of a sandbox, by renames alone. Each move has a directory of its own below moving/ in the
// sandbox, where no program looks: there the link lies ready that is exchanged for the entry, and there the entry lies then. The directory is
// the move's journal: it says what is to be done, so that after a kill the next run continues. It has the form of a version of package history:
// to keep the entry is to rename the directory to kept/.
package journal
