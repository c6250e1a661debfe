package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"swop/internal/test/testprogram"
)

// A manager installs packages. Its name is also that of its program.
type manager struct {
	name     string
	update   []string // refreshes its lists, if that is needed
	install  []string
	needRoot bool
	of       func(testprogram.Program) string // the package of a program, "" if it has none
}

func managers() []manager {
	return []manager{
		{"apt-get", []string{"update", "-qq"}, []string{"install", "-y", "-qq", "--no-install-recommends"}, true, func(p testprogram.Program) string { return p.Apt }},
		{"dnf", nil, []string{"install", "-y", "-q"}, true, func(p testprogram.Program) string { return p.Dnf }},
		{"brew", nil, []string{"install", "-q"}, false, func(p testprogram.Program) string { return p.Brew }},
	}
}

// install installs what the machine's package manager has of the programs.
func install(missing []testprogram.Program) error {
	for _, m := range managers() {
		if _, err := exec.LookPath(m.name); err == nil {
			return m.run(missing)
		}
	}
	return errors.New("--install needs apt-get, dnf or brew")
}

func (m manager) run(missing []testprogram.Program) error {
	packages := m.packages(missing)
	if len(packages) == 0 {
		return nil
	}
	fmt.Printf("Installing with %s: %s\n", m.name, strings.Join(packages, " "))
	for _, args := range [][]string{m.update, append(m.install, packages...)} {
		if len(args) == 0 {
			continue
		}
		if err := m.command(os.Geteuid(), args).Run(); err != nil {
			return fmt.Errorf("%s %s: %w", m.name, args[0], err)
		}
	}
	return nil
}

func (m manager) packages(missing []testprogram.Program) []string {
	var out []string
	for _, p := range missing {
		out = append(out, strings.Fields(m.of(p))...)
	}
	return out
}

// command is the manager's, through sudo for one who is not root.
func (m manager) command(uid int, args []string) *exec.Cmd {
	args = append([]string{m.name}, args...)
	if m.needRoot && uid != 0 {
		args = append([]string{"sudo"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	return cmd
}
