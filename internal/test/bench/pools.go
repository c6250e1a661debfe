//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// poolSizes are the rows of the table "Pools": how many accounts there are.
var poolSizes = []int{1, 10, 100}

func (b *bench) pools() {
	fmt.Print("\n## Pools\n\nThe untouched start under `account = \"auto\"`, compared with that under a fixed account, by the number of accounts, all with a login and two windows that\nwere read. Bound: 0.30 ms more, no socket.\n\n")
	fmt.Print("| accounts | fixed, wall | auto, wall | more | fixed, CPU | auto, CPU | more | system calls more | sockets |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, n := range poolSizes {
		fixed, err := b.poolScene("fixed", n)
		if !b.check(err) {
			return
		}
		auto, err := b.poolScene("auto", n)
		if !b.check(err) {
			return
		}
		b.comparePool(n, fixed, auto)
	}
}

// poolScene makes a scene with this many accounts, all but "work" at their limits, where codex runs as "work": fixed, or taken from the pool.
func (b *bench) poolScene(name string, accounts int) (scene, error) {
	u, err := b.scene(current, fmt.Sprintf("pool-%s-%d", name, accounts), b.path("target"), size{entries: 54, accounts: accounts})
	if err != nil {
		return u, err
	}
	for _, key := range append([]string{"work"}, keysBeside(accounts)...) {
		if err := u.logIn(key); err != nil {
			return u, err
		}
	}
	if name == "auto" {
		err = u.swop("use", "auto")
	}
	if err != nil {
		return u, err
	}
	return u, u.settleHere()
}

func keysBeside(accounts int) (keys []string) {
	for i := 1; i < accounts; i++ {
		keys = append(keys, fmt.Sprintf("account-%d", i))
	}
	return keys
}

// logIn gives an account a login that nobody has signed, and what was read of its limits.
func (u scene) logIn(key string) error {
	auth := filepath.Join(u.home, ".swop", "accounts", key, "home", ".codex", "auth.json")
	if err := os.WriteFile(auth, []byte(`{"tokens":{"id_token":"a.b.c","access_token":"x","refresh_token":"y"}}`), 0o600); err != nil {
		return err
	}
	used := 97
	if key == "work" {
		used = 40
	}
	now := time.Now().UTC().Truncate(time.Second)
	text := fmt.Sprintf(`{"schema_version":1,"login":"","reading":{"plan":"plus","windows":[{"minutes":300,"used_percent":%d,"resets_at":%q},{"minutes":10080,"used_percent":20,"resets_at":%q}]},"read_at":%q}`,
		used, now.Add(5*time.Hour).Format(time.RFC3339), now.Add(100*time.Hour).Format(time.RFC3339), now.Format(time.RFC3339))
	dir := filepath.Join(u.home, ".swop", "usage")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, key+".json"), []byte(text), 0o600)
}

// settleHere starts codex in this process's working directory, as the measured starts are, until nothing is left to do.
func (u scene) settleHere() error {
	for range 6 {
		cmd := exec.Command(u.program("codex"), "--version")
		cmd.Env = u.env()
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			return fmt.Errorf("codex: %w: %s", err, out)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return u.settle() // and in its home, where its calls are traced
}

func (b *bench) comparePool(n int, fixed, auto scene) {
	f, err := b.measureCopies(b.rounds, fixed.codex("fixed"), auto.codex("auto"))
	if !b.check(err) {
		return
	}
	one, err := fixed.trace(fixed.program("codex"))
	if !b.check(err) {
		return
	}
	other, err := auto.trace(auto.program("codex"))
	if !b.check(err) {
		return
	}
	sockets := 0
	for _, call := range other {
		if strings.HasPrefix(call, "socket(") || strings.HasPrefix(call, "connect(") {
			sockets++
		}
		if strings.Contains(call, "codex-swop") {
			b.check(fmt.Errorf("auto with %d accounts takes the slow path: %s", n, call))
		}
	}
	fmt.Printf("| %d | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %d | %d |\n", n, f[0].wall/1e3, f[1].wall/1e3, (f[1].wall-f[0].wall)/1e3,
		f[0].cpu/1e3, f[1].cpu/1e3, (f[1].cpu-f[0].cpu)/1e3, len(other)-len(one), sockets)
}
