//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
)

// confined measures a start of the real codex in a confined session.
func (b *bench) confined() {
	codex, model, err := b.realCodex()
	if !b.check(err) {
		return
	}
	defer model.Close()
	scenes, err := b.scenes("confined", codex, everyday)
	back, wdErr := os.Getwd()
	if !b.check(err) || !b.check(wdErr) {
		return
	}
	u := scenes[len(scenes)-1]
	work := b.path("workspace")
	if !b.check(os.Mkdir(work, 0o755)) || !b.check(os.Chdir(work)) { // a home itself is no workspace
		return
	}
	defer func() { b.check(os.Chdir(back)) }()
	for _, u := range scenes {
		if !b.check(u.swop("add", "confined", "--no-login", "--confine", "danger-full-access")) { // each call has its own policy, or a stricter one
			return
		}
	}
	list := []candidate{u.codex("unconfined", "--version")}
	for _, policy := range []string{"danger-full-access", "workspace-write", "read-only"} {
		for _, u := range scenes {
			c := u.codex(policy, "--version")
			c.env = append(c.env, "SWOP_ACCOUNT=confined", "SWOP_ALLOW_ROOT=1", "SWOP_CONFINE="+policy)
			list = append(list, c)
		}
	}
	f, err := b.measure(max(b.rounds/10, 3), list...)
	if !b.check(err) {
		return
	}
	if b.again {
		fmt.Print("\n### Confinement, for an ordinary user\n\nWhat the user cannot change, as `/` and `/home`, is mounted whole; for root it is put together from single mounts.\n")
	} else {
		fmt.Printf(confinedIntro, codexVersion)
	}
	table(list, f, 0)
	for i, c := range list {
		if strings.HasPrefix(c.name, "workspace-write") {
			fmt.Printf("\nConfinement adds %.1f ms under %s.\n", (f[i].wall-f[0].wall)/1e3, c.name)
		}
	}
	if b.again {
		return
	}
	if b.user != "" {
		b.asUser("confined")
	}
}

const confinedIntro = "\n## Confinement\n\n`codex --version` of %s. Bound of what confinement adds: 20 ms, on a quiet machine.\n\n" +
	"A start makes some files and removes them. ext4 takes longer to make one while many were removed in the last minutes, as by these starts.\n"
