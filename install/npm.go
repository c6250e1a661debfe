package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"swop/say"
)

const codexPackage = "@openai/codex"

// fetched is where the real codex lies that npm put below the prefix.
func (s *session) fetched() string { return filepath.Join(s.npm, "bin", "codex") }

// real returns the real codex that new shells will find, or "".
func (s *session) real() string {
	if s.o.FindReal != nil {
		if path, err := s.o.FindReal(); err == nil && checkProgram(path) != nil {
			return path
		}
	}
	if exists(s.fetched()) {
		return s.fetched()
	}
	return ""
}

// planCodex decides whether the real Codex is to be got, and asks. Without a terminal only Yes is an answer.
func (s *session) planCodex() error {
	if !s.o.WithCodex || s.real() != "" {
		return nil
	}
	if s.npmPath() == "" {
		return say.WithHint(errors.New("no npm on PATH to get the real Codex with"), "install Node.js (https://nodejs.org), or leave out --with-codex")
	}
	s.fetch = s.o.Yes
	switch {
	case s.fetch:
		return nil
	case s.o.Ask == nil:
		err := fmt.Errorf("no real codex was found, and there is no terminal to ask whether npm may install one in %s", s.npm)
		return say.WithHint(kindOf{err, ErrUnsafe}, "./install.sh --with-codex --yes")
	}
	var err error
	s.fetch, err = s.o.Ask(fmt.Sprintf("No real codex was found. Install %s with npm in %s?", codexPackage, s.npm))
	return err
}

// fetchCodex runs npm. Where it fails, what it left half done goes, and the rest of the install does not suffer.
func (s *session) fetchCodex() error {
	if !s.fetch {
		return nil
	}
	cmd := exec.Command(s.npmPath(), "install", "-g", "--prefix", s.npm, codexPackage)
	cmd.Env = s.o.Env.With("HOME", s.o.Home)
	cmd.Stdout, cmd.Stderr = s.o.Progress, s.o.Progress
	if err := cmd.Run(); err != nil {
		return errors.Join(say.WithHint(fmt.Errorf("npm did not install %s: %v", codexPackage, err), "npm install -g "+codexPackage), s.dropCodex())
	}
	if !exists(s.fetched()) {
		return fmt.Errorf("npm reported success, but %s is not there", s.fetched())
	}
	s.report.did(s.fetched(), Created)
	return nil
}

// dropCodex removes what npm installed below the prefix, and the directories that this leaves empty.
func (s *session) dropCodex() error {
	root, err := os.OpenRoot(s.npm)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	modules := filepath.Join("lib", "node_modules")
	scope := filepath.Join(modules, filepath.Dir(codexPackage))
	names, err := fs.Glob(root.FS(), filepath.ToSlash(filepath.Join(scope, ".codex-*"))) // where an npm that was killed unpacked it
	for _, name := range append(names, filepath.Join(modules, codexPackage)) {
		err = errors.Join(err, root.RemoveAll(name))
	}
	if e := root.Remove(filepath.Join("bin", "codex")); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	for _, dir := range []string{scope, modules, "lib", "bin"} {
		removeEmpty(filepath.Join(s.npm, dir))
	}
	removeEmpty(s.npm)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.npm, err) // what is in it is named
	}
	return err
}

// npmPath returns the npm that the caller's PATH finds, or "".
func (s *session) npmPath() string { return lookPath("npm", s.o.Env.Value("PATH")) }

// lookPath is exec.LookPath for a PATH that is not this process's. Relative entries are passed over.
func lookPath(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}
