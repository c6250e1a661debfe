//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"swop/internal/account/rpc"
	"swop/internal/test/e2e/chatgpt"
)

// asking is a scene whose account asks the real codex for its limits.
type asking struct {
	scene
	native string // the program that codex's launcher starts
	server *chatgpt.Server
}

// usage compares `codex swop usage` of one account with the same question to the real codex alone, in alternating order.
func (b *bench) usage() {
	u, err := b.asking()
	if !b.check(err) {
		return
	}
	defer u.server.Close()
	rounds := max(b.rounds/10, 3)
	var wall, cpu [2][]float64
	for i := range 2 * rounds {
		ask := u.askAlone
		if i%2 == 1 {
			ask = u.askBySwop
		}
		began := time.Now()
		end, err := ask()
		if !b.check(err) {
			return
		}
		wall[i%2] = append(wall[i%2], milliseconds(time.Since(began)))
		cpu[i%2] = append(cpu[i%2], milliseconds(end.UserTime()+end.SystemTime()))
	}
	fmt.Printf("\n## Usage\n\n`codex swop usage` of one account, and the same question to the real codex %s alone, %d times each. Bound: 20 ms more, on a quiet machine.\n\n", codexVersion, rounds)
	fmt.Print("| | codex alone | codex swop usage | more | ratio |\n|---|--:|--:|--:|--:|\n")
	for _, row := range []struct {
		name string
		of   [2][]float64
	}{{"wall", wall}, {"CPU, with all that codex starts", cpu}} {
		alone, swop := quartile(row.of[0]), quartile(row.of[1])
		fmt.Printf("| %s | %.1f ms | %.1f ms | %.1f ms | %.2f |\n", row.name, alone, swop, swop-alone, swop/alone)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// asking makes the scene, with a login that nobody has signed and a server in ChatGPT's place.
func (b *bench) asking() (u asking, err error) {
	launcher, model, err := b.realCodex()
	if err != nil {
		return u, err
	}
	model.Close()
	if u.server, err = chatgpt.Start(b.dir); err != nil {
		return u, err
	}
	u.server.SetLimits(1, chatgpt.Limits{Short: 40, Long: 7, Resets: time.Now().Add(time.Hour)})
	if u.scene, err = b.scene(current, "usage", launcher, everyday); err != nil {
		return u, err
	}
	packages := filepath.Join(filepath.Dir(launcher), "..", "@openai")
	natives, err := filepath.Glob(filepath.Join(packages, "codex-*", "vendor", "*", "bin", "codex"))
	if err != nil || len(natives) != 1 {
		return u, fmt.Errorf("native programs %q, want one: %w", natives, err)
	}
	u.native = natives[0]
	return u, os.WriteFile(u.codexHome("auth.json"), []byte(chatgpt.Auth(1)), 0o600)
}

// codexHome is the path of an entry of the account's codex home.
func (u asking) codexHome(name string) string {
	return filepath.Join(u.home, ".swop", "accounts", "work", "home", ".codex", name)
}

func (u asking) env() []string { return append(u.scene.env(), u.server.Env()...) }

func (u asking) askBySwop() (*os.ProcessState, error) {
	cmd := exec.Command(u.program("codex"), "swop", "usage", "work", "--max-age", "0")
	cmd.Env, cmd.Dir = u.env(), u.home
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "60 % left") {
		return nil, fmt.Errorf("codex swop usage: %w: %s", err, out)
	}
	return cmd.ProcessState, nil
}

// askAlone asks the real codex, with the arguments and the homes that swop gives it.
func (u asking) askAlone() (*os.ProcessState, error) {
	databases := filepath.Join(u.home, ".swop", "accounts", "work", "usage-db")
	cmd := exec.Command(u.native, rpc.Arguments(databases)...)
	cmd.Env = append(u.env(), "HOME="+filepath.Dir(u.codexHome("")), "CODEX_HOME="+u.codexHome(""), "CODEX_SQLITE_HOME="+databases)
	cmd.Dir = "/"
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("pipes: %w, %w", err1, err2)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	in := bufio.NewReader(stdout)
	err := talk(stdin, in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"bench","version":"1"}}}`, `{"id":1,`)
	if err == nil {
		err = talk(stdin, in, `{"method":"initialized"}`+"\n"+`{"id":2,"method":"account/rateLimits/read"}`, `"usedPercent":40`)
	}
	stdin.Close()
	_, _ = io.Copy(io.Discard, in) // until it ends
	if end := cmd.Wait(); err == nil && end != nil {
		err = end
	}
	return cmd.ProcessState, err
}

// talk sends a line and reads until one that has text.
func talk(out io.Writer, in *bufio.Reader, line, text string) error {
	if _, err := fmt.Fprintln(out, line); err != nil {
		return err
	}
	for {
		answer, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("codex says %q, want %q: %w", answer, text, err)
		}
		if strings.Contains(answer, text) {
			return nil
		}
	}
}
