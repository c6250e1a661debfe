package rpc

import (
	"os/exec"
	"path/filepath"
)

// makeGroup does nothing: when its context ends cmd is killed, which is the native program.
func makeGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}

// topDir is a directory without a project's configuration.
func topDir(program string) string { return filepath.VolumeName(program) + `\` }
