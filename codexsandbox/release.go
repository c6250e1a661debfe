//go:build unix

package codexsandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
	"swop/say"
)

// Release is a released version of codex.
type Release struct {
	Major, Minor, Patch int
	Pre                 string // "alpha.3" of a prerelease, else ""
}

func (r Release) String() string {
	text := fmt.Sprintf("%d.%d.%d", r.Major, r.Minor, r.Patch)
	if r.Pre != "" {
		text += "-" + r.Pre
	}
	return text
}

// before reports whether r is older than 0.minor; a prerelease of that one is not.
func (r Release) before(minor int) bool { return r.Major == 0 && r.Minor < minor }

// parseRelease reads what `codex --version` prints: a line "codex-cli 0.169.0", other lines being a wrapper's. It fails where there
// is none, and for 0.0.0, which codex calls itself that was built from its sources.
func parseRelease(output string) (Release, error) {
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "codex-cli" && words[0] != "codex" {
			continue
		}
		if r, ok := parseVersion(words[1]); ok {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("no release in %.80q", output)
}

func parseVersion(text string) (Release, bool) {
	numbers, pre, dashed := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || dashed && pre == "" {
		return Release{}, false
	}
	r := Release{Pre: pre}
	for i, to := range []*int{&r.Major, &r.Minor, &r.Patch} {
		n, err := strconv.ParseUint(parts[i], 10, 31)
		if err != nil {
			return Release{}, false
		}
		*to = int(n)
	}
	return r, r != Release{Pre: pre}
}

// probeTime bounds `codex --version`, which answers at once (docs/codex-home.md) but for a machine that is very busy.
const probeTime = 30 * time.Second

// releases are the releases of the codexes that were asked so far.
type releases struct {
	mu    sync.Mutex
	known map[identity]Release
	file  string // that keeps them for later runs, "" for none
}

// ReleasesFile is the name of the file in swop's root that remembers releases: a line for each state of a codex's file, with a sum of that state.
const ReleasesFile = "releases"

// maxRemembered is how many lines that file has at most: a few installations, and the state before an update.
const maxRemembered = 8

// remember lets the releases be kept in swop's root.
func (k *releases) remember(root string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.file = filepath.Join(root, ReleasesFile)
}

// remembered returns the lines of the file, none if it cannot be read: it is a cache.
func (k *releases) remembered() []string {
	if k.file == "" {
		return nil
	}
	text, err := disk.ReadFile(k.file, unix.O_NOFOLLOW, 1<<12)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(text), "\n")
}

// recall returns the release that an earlier run saw for this state of a file.
func (k *releases) recall(id identity) (Release, bool) {
	for _, line := range k.remembered() {
		if sum, text, ok := strings.Cut(line, " "); ok && sum == id.sum() {
			return parseVersion(text)
		}
	}
	return Release{}, false
}

// keep adds the release to the file. A root that cannot be written to is reported where the account is prepared.
func (k *releases) keep(id identity, r Release) {
	if k.file == "" {
		return
	}
	lines := append(k.remembered(), id.sum()+" "+r.String())
	_ = disk.WriteFile(k.file, []byte(strings.Join(lines[max(0, len(lines)-maxRemembered):], "\n")+"\n")) // it is a cache
}

// identity identifies one state of a file; the times are in nanoseconds.
type identity struct {
	path             string // with links resolved
	device, inode    uint64
	size             int64
	modified, change int64
	pkg              string // the identity of npm's package.json, for its launcher
}

// sum returns a digest of the identity, without blanks.
func (id identity) sum() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", id))
	return hex.EncodeToString(sum[:])
}

// of returns the release of the codex at path. It asks codex, with the environment env, once for each state of its file, or each time if
// the file does not determine what runs: an unknown script, or a program that starts another (mise's shims).
func (k *releases) of(ctx context.Context, path string, env config.Env) (Release, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id, lasting := identify(path)
	if r, ok := k.known[id]; ok && lasting {
		return r, nil
	}
	if lasting {
		if r, ok := k.recall(id); ok {
			return r, nil
		}
	}
	r, err := ask(ctx, path, env)
	if err != nil {
		return r, say.WithHint(fmt.Errorf("the release of %s is unknown: %w", path, err), say.ShellQuote(path)+" --version")
	}
	if now, _ := identify(path); lasting && now == id { // not replaced meanwhile
		if k.known == nil {
			k.known = map[identity]Release{}
		}
		k.known[id] = r
		k.keep(id, r)
	}
	return r, nil
}

// ask returns the release that `codex --version` prints.
func ask(ctx context.Context, path string, env config.Env) (Release, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var out head
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Args[0] = "codex"
	cmd.Env = append(config.Env{}, env...) // not nil, which would be this process's own
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return endTree(cmd.Process.Pid) }
	cmd.WaitDelay = drainTime
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return Release{}, fmt.Errorf("codex --version: %w", err)
	}
	return parseRelease(out.String())
}

// identify returns the identity of the program at path, and whether the same identity means the same release.
func identify(path string) (id identity, lasting bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return id, false
	}
	if id, err = identityOf(real); err != nil {
		return id, false
	}
	script, err := isScript(real)
	if err != nil || !script {
		// A native codex is called codex or codex-<target>; a program that starts another is a link to a file of another name.
		return id, err == nil && strings.HasPrefix(filepath.Base(real), "codex")
	}
	// npm's launcher starts the program that its package names; several releases may share the launcher's inode (pnpm's store).
	pkg := filepath.Join(filepath.Dir(filepath.Dir(real)), "package.json")
	if !isCodexPackage(pkg) {
		return id, false
	}
	of, err := identityOf(pkg)
	id.pkg = fmt.Sprintf("%+v", of)
	return id, err == nil
}

func identityOf(file string) (identity, error) {
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		return identity{}, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	return identity{
		path: file, device: uint64(st.Dev), inode: st.Ino, size: st.Size,
		modified: st.Mtim.Nano(), change: st.Ctim.Nano(),
	}, nil
}

func isScript(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, 2)
	n, err := f.Read(start)
	return string(start[:n]) == "#!", err
}

func isCodexPackage(file string) bool {
	text, err := os.ReadFile(file)
	var pkg struct{ Name string }
	return err == nil && json.Unmarshal(text, &pkg) == nil && pkg.Name == "@openai/codex"
}

// head keeps the first 4 KiB that are written to it: a version is short.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 4096 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
