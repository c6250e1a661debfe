//go:build unix

package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"swop/internal/test/testbuild"
)

// The fake codex. A fake is a file of one line that names this program as its interpreter, so each is an inode of its own, and no
// shell is between that would sort the environment. testdata/README.md says by which variables it is asked for what it does.
// CODEX_FAKE_LIMITS names a directory with a file for each account's key: the rest of the message after its id, with NOW+N for the time in
// N seconds; or the word hang (an error, after two seconds).

// fakeMain is a call of the fake at file.
func fakeMain(file string, args []string) {
	appendLog(args)
	if command := strings.Fields(os.Getenv("CODEX_FAKE_RUN")); len(command) > 0 {
		os.Exit(runWith(command, without(rawEnv(), "CODEX_FAKE_RUN")))
	}
	if command := os.Getenv("CODEX_FAKE_SH"); command != "" {
		os.Exit(runWith([]string{"/bin/sh", "-c", command}, rawEnv()))
	}
	if script := os.Getenv("CODEX_FAKE_EXEC"); script != "" && len(args) > 0 && args[0] == "exec" {
		os.Exit(runWith(append([]string{"/bin/sh", script}, args...), rawEnv()))
	}
	if dir := os.Getenv("CODEX_FAKE_LIMITS"); dir != "" && slices.Contains(args, "app-server") {
		fakeServer(dir)
	}
	if len(args) > 0 && (args[0] == "login" || args[0] == "logout") {
		fakeLogin(args)
	}
	if slices.Equal(args, []string{"--version"}) && os.Getenv("SWOP_BYPASS") == "1" { // doctor asks
		fmt.Println(cmp.Or(os.Getenv("CODEX_FAKE_RELEASE"), "codex-cli 0.169.0"))
		exitAsAsked()
	}
	words := strings.Fields(os.Getenv("CODEX_FAKE_SHOW"))
	if len(words) == 0 {
		words = []string{"args"}
	}
	for _, word := range words {
		show(word, file, args)
	}
	if ready := os.Getenv("CODEX_FAKE_HANG"); ready != "" {
		hang(ready)
	}
	exitAsAsked()
}

func exitAsAsked() {
	status, _ := strconv.Atoi(os.Getenv("CODEX_FAKE_EXIT")) // unset: 0
	os.Exit(status)
}

func appendLog(args []string) {
	file := os.Getenv("CODEX_FAKE_LOG")
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return // a disk that is read-only
	}
	fmt.Fprintf(f, "%q\n", args)
	f.Close()
}

// show prints what a word of CODEX_FAKE_SHOW asks for.
func show(word, file string, args []string) {
	switch word {
	case "argv0":
		fmt.Printf("%q\n", os.Args[0])
	case "args":
		for _, arg := range args {
			fmt.Printf("%q\n", arg)
		}
	case "env":
		for _, entry := range without(rawEnv(), "SWOP_EXEC") {
			fmt.Printf("%q\n", entry)
		}
	case "pid":
		fmt.Println("pid", os.Getpid())
	case "ppid":
		fmt.Println("ppid", os.Getppid())
	case "who":
		fmt.Println(file)
	case "cwd":
		dir, _ := os.Getwd()
		fmt.Println(dir)
	case "umask":
		fmt.Printf("umask %03o\n", syscall.Umask(0))
	case "stdin":
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			fail(err)
		}
	case "fds":
		showDescriptors()
	default:
		showVariable(word)
	}
}

func showVariable(name string) {
	found := false
	for _, entry := range rawEnv() {
		if strings.HasPrefix(entry, name+"=") {
			fmt.Println(entry)
			found = true
		}
	}
	if !found {
		fmt.Println(name, "unset")
	}
}

// showDescriptors prints the files that are open, except for those that Go's runtime opens.
func showDescriptors() {
	for fd := 3; fd < 64; fd++ {
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		device := strings.HasPrefix(target, "/dev/") && !strings.HasPrefix(target, "/dev/shm/")
		if err == nil && filepath.IsAbs(target) && !strings.HasPrefix(target, "/sys/") && !device {
			fmt.Println("fd", target)
		}
	}
}

// rawEnv is the environment as the kernel was given it: os.Environ leaves out what comes twice.
func rawEnv() []string {
	raw, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return os.Environ()
	}
	if len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
}

// runWith runs a command with exactly this environment, repetitions too, and returns its exit status.
func runWith(command, env []string) int { return statusOf(start(command, env)) }

func start(command, env []string) (pid int) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		fail(err)
	}
	pid, err = syscall.ForkExec(program, command, &syscall.ProcAttr{Env: env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		fail(err)
	}
	return pid
}

func statusOf(pid int) int {
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(pid, &status, 0, nil); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// hang writes the pid to ready and waits for a signal; not for ever, so that a test that fails leaves nothing behind.
func hang(ready string) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if err := os.WriteFile(ready+".new", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		fail(err)
	}
	if err := os.Rename(ready+".new", ready); err != nil {
		fail(err)
	}
	select {
	case s := <-signals:
		fmt.Println("got", s)
	case <-time.After(20 * time.Minute):
	}
}

func fakeLogin(args []string) {
	home := os.Getenv("CODEX_HOME")
	if home == "" {
		home = filepath.Join(os.Getenv("HOME"), ".codex")
	}
	auth := filepath.Join(home, "auth.json")
	_, err := os.Lstat(auth)
	switch mode := os.Getenv("CODEX_FAKE_LOGIN"); {
	case len(args) > 1 && args[1] == "status" && err == nil:
		fmt.Println("Logged in")
	case len(args) > 1 && args[1] == "status":
		fmt.Fprintln(os.Stderr, "Not logged in")
		os.Exit(1)
	case mode == "fail":
		fmt.Fprintln(os.Stderr, "the fake login fails")
		os.Exit(1)
	case mode == "hang":
		hang(os.Getenv("CODEX_FAKE_HANG"))
		os.Exit(130)
	case mode == "nothing":
	case args[0] == "logout":
		if err := os.Remove(auth); err != nil {
			fail(err)
		}
	default:
		if err := writeAuth(auth, args[1:]); err != nil {
			fail(err)
		}
	}
	exitAsAsked()
}

// writeAuth writes a login: with --with-api-key the key from stdin, else ChatGPT's, of CODEX_FAKE_EMAIL in CODEX_FAKE_WORKSPACE.
func writeAuth(file string, flags []string) error {
	var login any
	if len(flags) > 0 && flags[0] == "--with-api-key" {
		key, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		login = map[string]string{"OPENAI_API_KEY": strings.TrimSpace(string(key))}
	} else {
		email, more := os.Getenv("CODEX_FAKE_EMAIL"), ""
		if in := os.Getenv("CODEX_FAKE_WORKSPACE"); in != "" {
			more = fmt.Sprintf(`,"chatgpt_account_id":%q,"chatgpt_user_id":%q,"organizations":[{"title":%[1]q}]`, in, email)
		}
		claims := fmt.Sprintf(`{"email":%q,"https://api.openai.com/auth":{"chatgpt_plan_type":"pro"%s}}`, email, more)
		secret := testbuild.Planted
		token := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + secret
		login = map[string]any{"tokens": map[string]string{"id_token": token, "access_token": secret + "-a", "refresh_token": secret + "-r"}}
	}
	text, err := json.Marshal(login)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}
