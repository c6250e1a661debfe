package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"swop/config"
	"swop/disk"
	"swop/say"
)

const codexPackage = "@openai/codex"

// npmCodex is the path of the real codex that npm installs below the prefix.
func (s *session) npmCodex() string { return filepath.Join(s.npm, npmProgram) }

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

// planCodex decides whether the real Codex is to be installed, and asks, or updated. Without a terminal it needs Yes.
func (s *session) planCodex() error {
	real := s.real()
	s.updates = real != "" && disk.SameFile(real, s.npmCodex())
	if !s.o.WithCodex || real != "" && !s.updates {
		return nil
	}
	if s.npmPath() == "" {
		return say.WithHint(errors.New("--with-codex needs npm, which is not on PATH"), "install Node.js (https://nodejs.org), or omit --with-codex")
	}
	s.needsCodex = s.o.Yes || s.updates
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

// installCodex runs npm if the real Codex is to be installed or updated. If npm fails, what it left is removed unless the old one still runs, and
// the rest of the install goes on.
func (s *session) installCodex() error {
	if !s.needsCodex {
		return nil
	}
	if s.o.Progress != nil {
		doing := "installing"
		if s.updates {
			doing = "updating"
		}
		say.Line(s.o.Progress, "%s %s with npm in %s", doing, codexPackage, s.npm)
	}
	before := s.codexVersion()
	cmd := exec.Command(s.npmPath(), "install", "-g", "--prefix", s.npm, codexPackage,
		"--loglevel=error", "--progress=false", "--fund=false", "--audit=false", "--update-notifier=false")
	cmd.Env = s.o.Env.With(config.HomeVariable, s.o.Home)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt) // Ctrl-C ends npm alone
	defer signal.Stop(interrupted)
	output, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		return s.codexFailed(output, err)
	case !exists(s.npmCodex()):
		return fmt.Errorf("npm reported success, but %s is missing", s.npmCodex())
	case s.codexVersion() != before:
		s.report.did(s.npmCodex(), newOrChanged(s.updates))
	}
	return nil
}

// codexFailed says what is there after npm failed, and removes what it left, unless the real Codex still runs.
func (s *session) codexFailed(output []byte, why error) error {
	if s.o.Progress != nil {
		fmt.Fprintf(s.o.Progress, "%s\n", say.Printable(string(bytes.TrimSpace(output))))
	}
	if s.updates && exec.Command(s.npmCodex(), "--version").Run() == nil {
		return fmt.Errorf("swop is installed, but the real codex is not updated: npm: %w", why)
	}
	err := fmt.Errorf("swop is installed, but the real codex is not: npm: %w", why)
	err = say.WithHint(err, say.ShellQuote(filepath.Join(s.bin, "codex"+disk.Exe))+" swop install --with-codex")
	return errors.Join(say.WithHint(err, "npm install -g "+codexPackage), s.removeCodex())
}

// codexVersion returns what npm says of the release that it installed below the prefix, "" without one.
func (s *session) codexVersion() string {
	text, _ := os.ReadFile(filepath.Join(s.npm, npmModules, codexPackage, "package.json"))
	return string(text)
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
	modules := npmModules
	scope := filepath.Join(modules, filepath.Dir(codexPackage))
	names, err := fs.Glob(root.FS(), filepath.ToSlash(filepath.Join(scope, ".codex-*"))) // where an npm that was killed had unpacked it
	for _, name := range append(names, filepath.Join(modules, codexPackage)) {
		err = errors.Join(err, root.RemoveAll(name))
	}
	for _, name := range npmPrograms {
		if e := root.Remove(name); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
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
func (s *session) npmPath() string { return lookPath(npmCommand, s.o.Env.Value("PATH")) }
