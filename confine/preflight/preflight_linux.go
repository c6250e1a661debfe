package preflight

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/confine/mountns"
	"swop/confine/peer"
	"swop/disk"
)

// bubblewrap is the sandbox of Linux.
const bubblewrap = "bubblewrap"

// Check returns the bwrap that a session would use, or an [*Unavailable] error. path is where programs are found, codex the real one. What it
// finds good is remembered in file.
func Check(path, codex, file string) (bwrap string, err error) {
	bwrap, err = findBwrap(path, codex)
	if err == nil {
		err = check(bwrap, codex, file)
	}
	return bwrap, err
}

// oldest is the oldest release of bubblewrap that is used: those before were never tried.
var oldest = []int{0, 5, 0}

// findBwrap returns the bwrap of the system, the first on path, else the one that lies beside the native codex. One that is found and cannot
// be used is an error: it is not passed over for another.
func findBwrap(path, codex string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, "bwrap")
		if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() {
			return file, checkBwrap(file)
		}
	}
	bundled := filepath.Join(filepath.Dir(filepath.Dir(codex)), "codex-resources", "bwrap")
	if _, err := os.Lstat(bundled); err == nil {
		return bundled, checkBwrap(bundled)
	}
	return "", unavailable("bwrap was not found on PATH (apt install bubblewrap)")
}

func unavailable(format string, args ...any) error {
	return &Unavailable{bubblewrap, fmt.Sprintf(format, args...), ""}
}

// checkBwrap refuses what is no bubblewrap that can be relied on. A script could do anything, and a setuid one sets up another sandbox.
func checkBwrap(file string) error {
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		return unavailable("%s: %v", file, err)
	}
	switch {
	case st.Mode&(unix.S_ISUID|unix.S_ISGID) != 0:
		return unavailable("%s is setuid, which is not supported", file)
	case st.Mode&0o111 == 0:
		return unavailable("%s is not executable", file)
	case !trusted(st.Uid), st.Mode&0o002 != 0:
		return unavailable("%s can be changed by other users", file)
	}
	program, err := elf.Open(file)
	if err != nil {
		return unavailable("%s is a script or damaged, not a program", file)
	}
	return program.Close()
}

// trusted reports whether a program's owner is this user or root. In a user namespace root may have no number, and is then shown as the overflow user
// (user_namespaces(7)), as other users are: there nothing but PATH speaks for the program.
func trusted(owner uint32) bool {
	const everyone = "4294967295" // the length of the map outside of user namespaces
	return owner == 0 || int(owner) == os.Geteuid() ||
		fmt.Sprint(owner) == readProc("sys/kernel/overflowuid") && !strings.Contains(readProc("self/uid_map"), everyone)
}

// bundledVersion is what the bubblewrap of codex says of itself (0.158 to 0.169). It has no number, and is new enough.
const bundledVersion = "bubblewrap built for Codex"

// checkVersion asks bwrap for its version.
func checkVersion(file string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, file, "--version").Output()
	version := make([]int, len(oldest))
	if err == nil && strings.TrimSpace(string(out)) == bundledVersion {
		return nil
	}
	if _, scan := fmt.Sscanf(strings.TrimSpace(string(out)), "bubblewrap %d.%d.%d", &version[0], &version[1], &version[2]); err != nil || scan != nil {
		return unavailable("%s --version does not say that it is bubblewrap", file)
	}
	if slices.Compare(version, oldest) < 0 {
		return unavailable("%s is release %d.%d.%d, older than %d.%d.%d", file, version[0], version[1], version[2], oldest[0], oldest[1], oldest[2])
	}
	return nil
}

// patience bounds each try.
const patience = 10 * time.Second

// check finds out whether bwrap makes a sandbox here in which another one can be made, as codex does. What it found good is remembered in
// file until the next boot, another bwrap, codex or codex-swop.
func check(bwrap, codex, file string) error {
	if missing := peer.Missing(); missing != "" { // a setting of the kernel can change
		return unavailable("%s", missing)
	}
	key, err := keyOf(bwrap, codex, "/proc/self/exe")
	if err != nil {
		return unavailable("%v", err)
	}
	if known, err := os.ReadFile(file); err == nil && string(known) == key {
		return nil
	}
	if err := checkVersion(bwrap); err != nil {
		return err
	}
	if err := tryNested(bwrap); err != nil {
		return err
	}
	return disk.WriteFile(file, []byte(key))
}

// tryNested makes a sandbox in a sandbox, as a session's is made, below a process that can mount.
func tryNested(bwrap string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = slices.Concat([]string{mountns.Name, bwrap}, Options(false), []string{
		"--", bwrap, "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--", bwrap, "--version",
	})
	cmd.SysProcAttr = mountns.Namespaces()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := mountns.Start(cmd.Start)
	if err == nil {
		err = cmd.Wait()
	}
	if err == nil {
		return nil
	}
	reason := Complaint(out.String())
	var exit *exec.ExitError
	if reason == "" || !errors.As(err, &exit) {
		reason = err.Error()
	}
	return NotMade("a trial failed: %s", reason)
}

// Complaint returns why bubblewrap failed, by what it printed; "" if it printed nothing.
func Complaint(printed string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(printed), "bwrap: "), "\n")
	return line
}

// Options returns bubblewrap's options for a session. It makes the namespaces and /proc; all else is mounted before it starts. ownNetwork is for a
// session that has no network but its own.
func Options(ownNetwork bool) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
		"--as-pid-1", // its own first process would be without the filter, and could be traced
	}
	if ownNetwork {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--dev-bind", "/", "/", "--proc", "/proc") // its root is the session's already; what is no device there can be opened as none
	if os.Geteuid() == 0 {
		// root's own nested bwrap maps uid 0, for which the kernel asks CAP_SETFCAP (user_namespaces(7)). It owns the files of /proc, whatever
		// capabilities it lacks. bwrap covers other parts, so that nothing more is lost.
		args = append(args, "--cap-add", "CAP_SETFCAP", "--ro-bind-try", "/proc/sys", "/proc/sys", "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger")
	}
	return append(args, "--chdir", "/") // the helper goes to the working directory, once that is there
}

// keyOf is what the answer depends on.
func keyOf(files ...string) (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(boot)) + fmt.Sprintf(" %d\n", os.Geteuid())
	for _, name := range namespaceLimits {
		key += readProc(name) + "\n"
	}
	for _, file := range files {
		var st unix.Stat_t
		if err := unix.Stat(file, &st); err != nil {
			return "", &fs.PathError{Op: "stat", Path: file, Err: err}
		}
		key += fmt.Sprintf("%d:%d %d %d.%d %q\n", st.Dev, st.Ino, st.Size, st.Mtim.Sec, st.Mtim.Nsec, file)
	}
	return key, nil
}
