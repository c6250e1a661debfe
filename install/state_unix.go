//go:build unix

package install

import (
	"bytes"
	"path/filepath"
)

// Examine returns the state of the installation. It writes nothing.
func Examine(o Options) (State, error) {
	s, err := begin(o)
	if err != nil {
		return State{}, err
	}
	p := s.where()
	state := State{Shells: s.shells(p), OnPath: len(s.record.Files) > 0, EveryPrompt: s.record.EveryPrompt}
	files, _ := p.startups(s.shell)
	for _, st := range files {
		// Where it fails, Install warns of it and leaves the file as it is.
		if f, text, err := s.withLines(st); err == nil && !bytes.Equal(text, f.text) {
			state.Outdated = append(state.Outdated, st.path)
		}
	}
	return state, nil
}

func (s *session) shells(p place) []Shell {
	var list []Shell
	for _, k := range p.kinds() {
		sh := Shell{Name: k.names[0], Own: k.includes(s.shell)}
		if sh.Name == "sh" || !sh.Own && !k.setUp(p) {
			continue
		}
		if sh.Path = s.program(sh); sh.Path != "" {
			list = append(list, sh)
		}
	}
	return list
}

// program returns the file of a shell: what SHELL names, else the first on PATH, "" if it is not found.
func (s *session) program(sh Shell) string {
	if sh.Own && filepath.IsAbs(s.shell) && exists(s.shell) {
		return s.shell
	}
	return lookPath(sh.Name, s.o.Env.Value("PATH"))
}
