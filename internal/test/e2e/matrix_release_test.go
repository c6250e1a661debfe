//go:build linux

package e2e

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
	"swop/shim"
)

// A release of codex, and what the tests must know of it.
type release struct {
	version string
	always  bool // tested at every run
}

// releases are those of realcodex, the oldest first: 0.29 replaces the link of config.toml, 0.92 follows it, 0.128 has a background server
// whose socket is in the home, 0.155 has one writer of a session, and the newest starts a server of its own.
var releases = []release{
	{shim.OldestTested, true},
	{"0.92.0", false},
	{"0.128.0", true},
	{"0.155.0", false},
	{realcodex.Version, true},
}

// minor is the number after the first dot.
func (r release) minor() int {
	n, err := strconv.Atoi(strings.Split(r.version, ".")[1])
	if err != nil {
		panic(err)
	}
	return n
}

// before reports whether r is older than 0.minor.
func (r release) before(minor int) bool { return r.minor() < minor }

// A lack is something that releases before one cannot do.
type lack struct {
	before int // the minor number of the first release that can
	why    string
	probe  []string // arguments that the releases before refuse
}

var (
	noMCPAdd = lack{47, "`codex mcp` is a server itself; there is no `mcp add`", []string{"mcp", "add", "tool", "--", "true"}}
	noServer = lack{128, "there is no background server", []string{"app-server", "--listen", "unix://"}}
)

// ownsSocket reports whether the server's socket is in the codex home itself, where its path may have 107 bytes.
func (r release) ownsSocket() bool { return !r.before(128) && r.before(158) }

// startsServer reports whether the terminal interface starts a server that outlives it.
func (r release) startsServer() bool { return !r.before(158) }

// prompt is what the terminal interface shows once it can be asked.
func (r release) prompt() string {
	switch {
	case r.before(47):
		return "⏎ send"
	case r.before(113):
		return "? for shortcuts"
	}
	return "test-model default"
}

// loginFlags log in by an API key, which newer releases read from the standard input.
func (r release) loginFlags(key string) (flags []string, stdin string) {
	if r.before(47) {
		return []string{"--api-key", key}, ""
	}
	return []string{"--with-api-key"}, key
}

// resume continues the session of a transcript.
func (r release) resume(transcript, prompt string) []string {
	if r.before(47) { // there is no subcommand yet
		return execArgs(prompt, "-c", fmt.Sprintf("experimental_resume=%q", transcript))
	}
	return []string{"exec", "--skip-git-repo-check", "resume", threadID(transcript), prompt}
}

// threadID is the id of a session: the end of its transcript's name.
func threadID(transcript string) string {
	name := strings.TrimSuffix(filepath.Base(transcript), ".jsonl")
	return name[max(0, len(name)-len("00000000-0000-0000-0000-000000000000")):]
}

// mayRepeat leaves out a release that is not the newest, unless ./test.sh is asked for what repeats.
func mayRepeat(t *testing.T, version string) {
	t.Helper()
	if version != realcodex.Version && !*complete {
		testhome.Needs(t, testprogram.Repeats)
	}
}

// programsOf are allPrograms with another release of codex.
func programsOf(t *testing.T, r release) programs {
	t.Helper()
	p := allPrograms(t)
	if !*complete && !slices.Contains(realcodex.Releases(), r.version) {
		t.Fatalf("realcodex.Releases, which ./test.sh announces, does not have %s", r.version)
	}
	real, err := install(func(ctx context.Context, cache string) (string, error) {
		return realcodex.Install(ctx, cache, r.version)
	})
	if err != nil {
		t.Fatalf("no real Codex CLI %s: %v", r.version, err)
	}
	p.real = real
	return p
}

// A trial is a user of one release.
type trial struct {
	*user
	release
}

// newTrial makes one whose codex is the native binary, which takes less time to start than npm's launcher.
func newTrial(t *testing.T, r release) trial {
	t.Helper()
	t.Parallel()
	p := programsOf(t, r)
	p.real = cmp.Or(nativeDir(p.real), p.real)
	return makeTrial(t, r, p, freshHome(t, "home-"))
}

// newNPMTrial makes one whose codex is npm's launcher.
func newNPMTrial(t *testing.T, r release) trial {
	t.Helper()
	t.Parallel()
	return makeTrial(t, r, programsOf(t, r), freshHome(t, "home-"))
}

func makeTrial(t *testing.T, r release, p programs, home string) trial {
	t.Helper()
	tr := trial{makeUserAt(t, p, home), r}
	tr.write(".codex/config.toml", tr.config())
	return tr
}

// config returns the configuration of a user who has started the release before: the terminal interface asks nothing.
func (tr trial) config() string {
	text := lean + tr.model.Config() + fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", tr.work)
	if tr.before(47) {
		return "preferred_auth_method = \"apikey\"\n" + text
	}
	return text
}

// under returns tr for a subtest.
func (tr trial) under(t *testing.T) trial {
	u := *tr.user
	u.t = t
	return trial{&u, tr.release}
}

// wantLack checks that the release cannot do what the table says it lacks.
func (tr trial) wantLack(l lack) {
	tr.t.Helper()
	if r := tr.run(tr.direct(l.probe...)); r.status <= 0 {
		tr.t.Errorf("codex %q exits %d, want a refusal: %s", l.probe, r.status, l.why)
	}
}

// says runs c, which must succeed, and checks that swop says nothing.
func (tr trial) says(c *command) result {
	tr.t.Helper()
	r := tr.ok(c)
	tr.wantSilence(c, r)
	return r
}

func (tr trial) wantSilence(c *command, r result) {
	tr.t.Helper()
	for line := range strings.Lines(r.stdout + "\n" + r.stderr) {
		if strings.HasPrefix(line, "swop") {
			tr.t.Errorf("%s: swop says %q, want nothing", c, line)
		}
	}
}
