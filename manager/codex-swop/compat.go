//go:build unix

package main

import "github.com/spf13/cobra"

// Names that the files of doctor still use.

type scene = setup

func noArgs(cmd *cobra.Command, args []string) error { return takes(0)(cmd, args) }

func completionScripts(program string) (map[string]string, error) { return scripts(program), nil }
