// Package install, swop's own, installs swop's two programs in a directory of their own, puts that directory first on PATH for new shells,
// and removes both again without a trace.
//
// Everything comes in as a value; nothing is asked of the process but its user id. Nothing that is not swop's is overwritten or
// removed. Every step is a rename, so that the next run completes one that was interrupted.
package install
