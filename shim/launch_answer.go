package shim

import (
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/disk"
)

// An Answer is what a launcher said when it was asked what it starts. A launcher that is not understood has one too, so that it is not
// asked at each start.
type Answer struct {
	Why     string   // why the launcher itself is to run; "" where what follows is known
	Program string   // what it starts
	Names   []string // the variables that it read by name
	Tools   string   // what it puts before PATH, a separator at its end
	Changes []string // of the environment, in this order: NAME=value, or NAME alone for one that it removes

	state, program string // of the launcher's files, and of the program
	given          string // a digest of the variables that the answer depends on
}

// answerForm is the first field of a file that is read here.
const answerForm = "swop-launch-2"

// largestAnswer is far above what npm's launcher changes.
const largestAnswer = 1 << 16

// launchDir is where the answers are kept, below swop's root.
const launchDir = "launch"

// File is where the answer of this launcher is kept.
func (l Launcher) File(places *config.Places) string {
	return filepath.Join(places.Root, launchDir, digest(l.Path))
}

// Text returns the answer as it is kept, for l as it was before it was asked, and for this environment.
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
		Names: strings.Split(f[6], "="), Tools: f[7], Changes: f[8:],
	}, true
}

// dependsOn is a digest of the variables that the answer depends on: those that the launcher read by name, and Node's own. What it does to
// PATH is known, unless it was not understood: another PATH may have another Node. No value is kept, which may be a secret.
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

func digest(text string) string {
	sum := fnv.New64a()
	sum.Write([]byte(text)) // never fails (hash.Hash)
	return strconv.FormatUint(sum.Sum64(), 16)
}
