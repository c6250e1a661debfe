package install

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Standing is how swop stands in the user's shells.
type Standing struct {
	Shells []Shell
	// Behind are the start-up files that lack swop's lines or where others stand after them. Install puts them right.
	Behind []string
	// Lined says that an install gave start-up files swop's lines, which is not so after --no-modify-path.
	Lined bool
	// EveryPrompt says that the lines for every prompt are among them.
	EveryPrompt bool
	// Left are files that an install left which was cut off. Install takes them away.
	Left []string
}

// A Shell is a bash, zsh or fish that the user has: the one that SHELL names, or one with start-up files here.
type Shell struct {
	Name string
	Path string // the program
	Own  bool   // the one that SHELL names
}

// Look returns how swop stands. It writes nothing.
func Look(o Options) (Standing, error) {
	s, err := begin(o)
	if err != nil {
		return Standing{}, err
	}
	p := s.where()
	standing := Standing{Shells: s.shells(p), Lined: len(s.record.Files) > 0, EveryPrompt: s.record.EveryPrompt, Left: s.left()}
	files, _ := p.startups(s.o.Shell)
	for _, st := range files {
		// Where it fails, Install warns of it and leaves the file as it is.
		if f, text, err := s.wanted(st); err == nil && !bytes.Equal(text, f.text) {
			standing.Behind = append(standing.Behind, st.path)
		}
	}
	return standing, nil
}

// left returns what runs left that were cut off.
func (s *session) left() []string {
	files := []string{textFile{target: recordFile(s.prefix)}.beside()}
	for _, name := range programNames {
		files = append(files, staged(filepath.Join(s.bin, name)))
	}
	for _, name := range completionNames {
		files = append(files, textFile{target: filepath.Join(s.completionDir(), name)}.beside())
	}
	for _, path := range s.where().everywhere() {
		if f, err := readText(path); err == nil && f.info != nil {
			files = append(files, f.beside())
		}
		files = append(files, textFile{target: path}.beside())
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(file string) bool { return !exists(file) })
}

// removeLeft takes it away. The lock is held, so nobody is at work on it; what belongs to another user stays.
func (s *session) removeLeft() error {
	for _, file := range s.left() {
		if !mayWrite(filepath.Dir(file)) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) shells(p place) []Shell {
	var list []Shell
	for _, k := range p.kinds() {
		sh := Shell{Name: k.names[0], Own: k.includes(s.o.Shell)}
		if sh.Name == "sh" || !sh.Own && !k.setUp(p) {
			continue
		}
		if sh.Path = s.program(sh); sh.Path != "" {
			list = append(list, sh)
		}
	}
	return list
}

// program returns the file of a shell: what SHELL names, else the first on PATH, "" if there is none.
func (s *session) program(sh Shell) string {
	if sh.Own && filepath.IsAbs(s.o.Shell) && exists(s.o.Shell) {
		return s.o.Shell
	}
	return lookPath(sh.Name, s.o.Env.Value("PATH"))
}

// LineFor returns what makes the shell, a path or a name, run swop's codex from bin at once.
func LineFor(shell, bin string) string {
	if filepath.Base(shell) == "fish" {
		return fish.line(bin, "")
	}
	return posix.line(bin, "")
}

// SameBuild reports whether the two programs in bin were built from one revision, as far as they tell.
func SameBuild(bin string) bool {
	var built [2]string
	for i, name := range programNames {
		info, err := buildinfo.ReadFile(filepath.Join(bin, name))
		if err != nil {
			return false
		}
		built[i] = info.Main.Version
		for _, setting := range info.Settings {
			if strings.HasPrefix(setting.Key, "vcs.") {
				built[i] += " " + setting.Value
			}
		}
	}
	return built[0] == built[1]
}

// IsShim reports whether the file is a build of swop's shim, of whatever version.
func IsShim(file string) bool { return checkBuild(file, "codex") == nil }
