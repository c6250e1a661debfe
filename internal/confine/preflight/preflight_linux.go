package preflight

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// patience bounds a trial.
const patience = 10 * time.Second

// Check fails with an [*Unavailable] where no session can be made. What it found good is remembered in file until the
// next boot, another limit or another codex-swop.
func Check(file string) error {
	if missing := filter.Missing(); missing != "" { // a setting of the kernel can change
		return &Unavailable{Reason: missing}
	}
	key, err := keyOf("/proc/self/exe")
	if err != nil {
		return NotMade(err)
	}
	if known, err := os.ReadFile(file); err == nil && string(known) == key {
		return nil
	}
	if err := try(); err != nil {
		return err
	}
	return disk.WriteFile(file, []byte(key))
}

// try makes the namespaces of a session.
func try() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args, cmd.SysProcAttr = mount.Trial(), mount.Namespaces(true)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := mount.Start(cmd.Start)
	if err == nil {
		err = cmd.Wait()
	}
	if err == nil {
		return nil
	}
	if reason, _, _ := strings.Cut(out.String(), "\n"); reason != "" && ctx.Err() == nil {
		err = errors.New(reason)
	}
	return NotMade(fmt.Errorf("a trial failed: %w", err))
}

// keyOf is what the answer depends on.
func keyOf(program string) (string, error) {
	key := fmt.Sprintln(readProc("sys/kernel/random/boot_id"), os.Geteuid())
	for _, name := range namespaceLimits {
		key += readProc(name) + "\n"
	}
	st, err := os.Stat(program)
	if err != nil {
		return "", err
	}
	return key + fmt.Sprintln(st.Size(), st.ModTime().UnixNano()), nil
}
