package install

import (
	"path/filepath"
	"slices"
	"strings"
)

// userPath is what the report calls the PATH of the user.
const userPath = `HKEY_CURRENT_USER\Environment\Path`

// addLines puts the directory of the programs first on the user's PATH.
func (s *session) addLines() {
	err := s.note(userPath)
	if err == nil {
		err = s.changePath(firstOnPath)
	}
	s.onPath = err == nil
	if err != nil {
		s.report.warn("the user's PATH was not changed: "+err.Error(), "put "+s.bin+" first on it")
	}
}

// removeLines removes the directory from the user's PATH.
func (s *session) removeLines() {
	if err := s.changePath(withoutEntry); err != nil {
		s.report.warn("the user's PATH was not changed: " + err.Error())
	}
}

func (s *session) changePath(change func(text, bin string) string) error {
	was, changed, err := editUserPath(func(text string) string { return change(text, s.bin) })
	if changed {
		s.report.did(userPath, newOrChanged(was != ""))
	}
	return err
}

// What start-up files of shells need, and the user's profile of PowerShell is not one.
type place struct{}

func (*session) last() string             { return "" }
func (*session) placeCompletions()        {}
func (*session) removeCompletions() error { return nil }
func (*session) describeOldShell()        {}

// describeShell says what this shell needs.
func (s *session) describeShell() {
	s.report.note("PowerShell completes codex swop with this line in $PROFILE: codex swop completion powershell | Out-String | Invoke-Expression")
	if s.inEffect() {
		return
	}
	s.report.Why = "New shells run codex through swop; for this one, in PowerShell:"
	s.report.Line = LineFor("", s.bin)
}

// LineFor returns the line that puts bin first on PATH in PowerShell.
func LineFor(_, bin string) string {
	return `$env:Path = '` + strings.ReplaceAll(bin, "'", "''") + `;' + $env:Path`
}

// Examine returns the state of the installation. It writes nothing.
func Examine(o Options) (State, error) {
	s, err := begin(o)
	if err != nil {
		return State{}, err
	}
	state := State{OnPath: slices.Contains(s.record.Files, userPath)}
	_, _, _ = editUserPath(func(text string) string { // what cannot be read is not outdated
		if state.OnPath && firstOnPath(text, filepath.Clean(s.bin)) != text {
			state.Outdated = append(state.Outdated, userPath)
		}
		return text
	})
	return state, nil
}
