// Package wine tests the programs for Windows on Linux, under Wine, with the real Codex CLI for Windows. What Wine does not have, junctions, ACLs
// and consoles, is tested by tables in package disk/sys, and on Windows: see docs/windows.md.
package wine
