// Package install, swop's own, installs swop's two programs in a directory of their own, puts that directory first on PATH for new shells,
// and removes both again without a trace.
//
// It takes everything as values, except for the user id. It overwrites and removes only swop's files and lines. Every step is a rename, so
// that the next run completes an interrupted one.
package install
