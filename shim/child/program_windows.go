package child

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// commandLine returns the program that runs what is at path, and its command line: cmd for a batch file, PowerShell for its scripts, else the
// file itself.
func commandLine(path string, args, env []string) (line, program string, err error) {
	system := filepath.Join(value(env, "SystemRoot"), "System32")
	switch strings.ToLower(filepath.Ext(path)) {
	case ".cmd", ".bat":
		if strings.ContainsAny(path, "\"%") {
			return "", "", errors.New("the path of a .cmd file has a character that cmd would replace")
		}
		cmd := filepath.Join(system, "cmd.exe")
		line, err = batchLine(cmd, path, args[1:])
		return line, cmd, err
	case ".ps1":
		powershell := filepath.Join(system, "WindowsPowerShell", "v1.0", "powershell.exe")
		script := []string{powershell, "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", path}
		return programLine(slices.Concat(script, args[1:])), powershell, nil
	}
	return programLine(args), path, nil
}

func value(env []string, name string) string {
	for _, entry := range env {
		if n, v, ok := strings.Cut(entry, "="); ok && strings.EqualFold(n, name) {
			return v
		}
	}
	return ""
}

// programLine returns the line for a program that reads it as C programs do.
func programLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quoteArgument(arg)
	}
	return strings.Join(quoted, " ")
}
