package shim

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/disk"
)

// An Answer is what a launcher said when it was asked for the program that it starts. A launcher that is not understood has an answer, too,
// so that it is not asked at each start.
type Answer struct {
	Why     string   // why the launcher itself is to run; "" where the fields below are known
	Program string   // the path of the program that it starts
	Names   []string // of the variables that it read by name
	Tools   string   // the directories that it puts before PATH, with a separator at the end
	Changes []string // of the environment, in this order: NAME=value, or NAME alone for a variable that it removes

	state, program string // of the launcher's files, and of the program
	given          string // a digest of the variables that the answer depends on
}

// answerForm is the first field of a stored answer.
const answerForm = "swop-launch-2"

// largestAnswer bounds a stored answer, in bytes: npm's launcher changes far less.
const largestAnswer = 1 << 16

// launchDir is the directory of the stored answers, below swop's root.
const launchDir = "launch"

// File returns the path of the stored answer of this launcher.
func (l Launcher) File(places *config.Places) string {
	return filepath.Join(places.Root, launchDir, digest(l.Path))
}

// Text returns the text to store: the answer, the state of l before it was asked, and a digest of this environment.
func (a Answer) Text(l Launcher, env config.Env) string {
	fields := []string{
		answerForm, l.state, a.Why, a.Program, stateOf(a.Program), a.dependsOn(env), strings.Join(a.Names, "="), a.Tools,
	}
	return strings.Join(append(fields, a.Changes...), "\x00")
}

func readAnswer(file string) (a Answer, ok bool) {
	text, err := disk.ReadOwn(file, largestAnswer)
	f := strings.Split(text, "\x00")
	if err != nil || len(f) < 8 || f[0] != answerForm {
		return a, false
	}
	return Answer{
		state: f[1], Why: f[2], Program: f[3], program: f[4], given: f[5],
		Names: strings.FieldsFunc(f[6], func(r rune) bool { return r == '=' }), Tools: f[7], Changes: f[8:],
	}, true
}

// dependsOn returns a digest of the variables that the answer depends on: those that the launcher read by name, and Node's own. PATH counts
// only for a launcher that was not understood: another PATH may have another Node. No value is stored, which may be a secret.
func (a *Answer) dependsOn(env config.Env) string {
	var parts []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		counts := strings.HasPrefix(name, "NODE_") || slices.Contains(a.Names, name)
		if name == "PATH" {
			counts = a.Why != ""
		}
		if counts {
			parts = append(parts, entry)
		}
	}
	slices.Sort(parts)
	return digest(strings.Join(parts, "\x00"))
}

func digest(text string) string { return strconv.FormatUint(disk.Sum(text), 16) }
