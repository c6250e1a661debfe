//go:build unix

package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"swop/manager/disk"
	"swop/say"
)

const codexPackage = "@openai/codex"

// npmCodex is the path of the real codex that npm installs below the prefix.
func (s *session) npmCodex() string { return filepath.Join(s.npm, "bin", "codex") }

// real returns the real codex that new shells will find, "" if it is missing.
func (s *session) real() string {
	if s.o.FindReal != nil {
		if path, err := s.o.FindReal(); err == nil && checkProgram(path) != nil {
			return path
		}
	}
	if exists(s.npmCodex()) {
		return s.npmCodex()
	}
	return ""
}

// planCodex decides whether the real Codex must be installed, and asks. Without a terminal it needs Yes.
func (s *session) planCodex() error {
	if !s.o.WithCodex || s.real() != "" {
		return nil
	}
	if s.npmPath() == "" {
		return say.WithHint(errors.New("--with-codex needs npm, which is not on PATH"), "install Node.js (https://nodejs.org), or omit --with-codex")
	}
	s.needsCodex = s.o.Yes
	switch {
	case s.needsCodex:
		return nil
	case s.o.Ask == nil:
		err := disk.Unsafe("the real codex is missing, and asking whether npm may install it in %s needs a terminal", s.npm)
		return say.WithHint(err, "./install.sh --with-codex --yes")
	}
	var err error
	s.needsCodex, err = s.o.Ask(fmt.Sprintf("The real codex is missing. Install %s with npm in %s?", codexPackage, s.npm))
	return err
}

// installCodex runs npm if the real Codex must be installed. If npm fails, what it left is removed, and the rest of the install goes on.
func (s *session) installCodex() error {
	if !s.needsCodex {
		return nil
	}
	if s.o.Progress != nil {
		say.Line(s.o.Progress, "installing %s with npm in %s", codexPackage, s.npm)
	}
	cmd := exec.Command(s.npmPath(), "install", "-g", "--prefix", s.npm, codexPackage,
		"--loglevel=error", "--progress=false", "--fund=false", "--audit=false", "--update-notifier=false")
	cmd.Env = s.o.Env.With("HOME", s.o.Home)
	if output, err := cmd.CombinedOutput(); err != nil {
		if s.o.Progress != nil {
			fmt.Fprintf(s.o.Progress, "%s\n", say.Printable(string(bytes.TrimSpace(output))))
		}
		err := fmt.Errorf("swop is installed, but npm could not install %s: %v", codexPackage, err)
		return errors.Join(say.WithHint(err, "npm install -g "+codexPackage), s.removeCodex())
	}
	if !exists(s.npmCodex()) {
		return fmt.Errorf("npm reported success, but %s is missing", s.npmCodex())
	}
	s.report.did(s.npmCodex(), Created)
	return nil
}

// removeCodex removes what npm installed below the prefix, and the directories that this leaves empty.
func (s *session) removeCodex() error {
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
	names, err := fs.Glob(root.FS(), filepath.ToSlash(filepath.Join(scope, ".codex-*"))) // where an npm that was killed had unpacked it
	for _, name := range append(names, filepath.Join(modules, codexPackage)) {
		err = errors.Join(err, root.RemoveAll(name))
	}
	if e := root.Remove(filepath.Join("bin", "codex")); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	for _, dir := range []string{scope, modules, "lib", "bin"} {
		disk.RemoveEmpty(filepath.Join(s.npm, dir))
	}
	disk.RemoveEmpty(s.npm)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.npm, err) // the error names what is in it
	}
	return err
}

// npmPath returns the npm that the caller's PATH finds, or "".
func (s *session) npmPath() string { return lookPath("npm", s.o.Env.Value("PATH")) }
