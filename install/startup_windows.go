package install

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// mainEnv is in the prefix of every installation.
const mainEnv = powerEnv

// startups returns the profiles of PowerShell that there can be.
func (s *session) startups() (files []startup) {
	documents, err := windows.KnownFolderPath(windows.FOLDERID_Documents, 0) // OneDrive may have moved it
	if err != nil {
		documents = filepath.Join(s.o.Home, "Documents")
	}
	for _, dir := range []string{"PowerShell", "WindowsPowerShell"} {
		for _, name := range []string{"profile.ps1", "Microsoft.PowerShell_profile.ps1"} {
			files = append(files, startup{"powershell", filepath.Join(documents, dir, name), powerEnv, false})
		}
	}
	return files
}

func (*session) shells() []Shell { return nil }

// LineFor returns the line that puts bin first on PATH in PowerShell.
func LineFor(_, bin string) string {
	return "$env:Path = " + quoted(powerEnv, bin+";") + " + $env:Path"
}

// remembers reports whether the shell remembers where it found a program.
func remembers(string) bool { return false }

// userPath is what the report calls the PATH of the user.
const userPath = `HKEY_CURRENT_USER\Environment\Path`

// addToUserPath puts the directory of the programs first on the user's PATH.
func (s *session) addToUserPath() bool { return s.changePath(firstOnPath) }

// removeFromUserPath removes the directory from the user's PATH.
func (s *session) removeFromUserPath() { s.changePath(withoutEntry) }

func (s *session) changePath(change func(text, bin string) string) bool {
	was, changed, err := editUserPath(func(text string) string { return change(text, s.bin) })
	if changed {
		s.report.did(userPath, newOrChanged(was != ""))
	}
	if err != nil {
		s.report.warn("the user's PATH was not changed: "+err.Error(), "edit the PATH of your account: "+s.bin)
	}
	return err == nil
}
