//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/test/testhome"
)

// searchSessions looks for the tokens in memory, environment and arguments of every process inside of the sessions, and in files that they
// see. The search finds them in the processes outside, and a stand-in inside.
func (m members) searchSessions(count int) {
	m.t.Helper()
	own, err := os.Readlink("/proc/self/ns/pid")
	testhome.NoError(m.t, err)
	var inside, outside int
	const address, standIn = "SWOP_BRIDGE_LOGIN_URL", ".c3dvcA"
	secrets := m.openAI.Secrets(1)
	for _, pid := range processes(m.t, m.home) {
		found := inMemory(pid, append(secrets, address, standIn))
		space, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid)) // it may have ended
		if space == own {
			if found[m.latest()] {
				outside++
			}
			continue
		}
		if found[address] && found[standIn] {
			inside++
		}
		for _, secret := range secrets {
			if found[secret] {
				m.t.Errorf("a token is in process %d, %q", pid, testhome.TextOf(fmt.Sprintf("/proc/%d/comm", pid)))
			}
		}
	}
	if os.Geteuid() != 0 {
		outside = count // what runs outside shows its memory to root alone
	}
	if inside < count || outside < count {
		m.t.Errorf("the search finds the stand-in in %d processes, and the token in %d outside, want %d each: it proves nothing", inside, outside, count)
	}
	var found []string
	for _, dir := range []string{m.shared(), m.work, filepath.Join(m.root, "run")} {
		for _, secret := range secrets {
			if testhome.HoldsText(secret, dir) {
				found = append(found, dir)
			}
		}
	}
	if len(found) > 0 {
		m.t.Errorf("a token is in a file below %q", found)
	}
}

// inMemory says which of the texts are in a process's writable memory, its environment and its arguments.
func inMemory(pid int, texts []string) map[string]bool {
	found, longest := map[string]bool{}, 0
	look := func(part []byte) {
		for _, text := range texts {
			found[text] = found[text] || bytes.Contains(part, []byte(text))
			longest = max(longest, len(text))
		}
	}
	for _, file := range []string{"environ", "cmdline"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file)) // it may have ended
		look(text)
	}
	ranges, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid)) // as above
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return found
	}
	defer mem.Close()
	buf := make([]byte, 1<<20)
	for line := range strings.Lines(string(ranges)) {
		var from, to int64
		var mode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); n != 3 || !strings.HasPrefix(mode, "rw") || to-from >= 512<<20 {
			continue
		}
		for ; from < to; from += int64(len(buf) - longest) { // a text may lie across two parts
			part := buf[:min(int64(len(buf)), to-from)]
			n, _ := mem.ReadAt(part, from) // what cannot be read is not there
			look(part[:n])
		}
	}
	return found
}
