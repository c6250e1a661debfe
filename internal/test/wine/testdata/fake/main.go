//go:build windows

// Command fake stands for the real codex.exe: it does what its first argument says, and prints what it was given.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// hold keeps a file open so that others can read it, and not write, rename or remove it, as some virus scanners do.
func hold(file string) {
	name, err := syscall.UTF16PtrFromString(file)
	if err != nil {
		os.Exit(1)
	}
	if _, err := syscall.CreateFile(name, syscall.GENERIC_READ, syscall.FILE_SHARE_READ, nil, syscall.OPEN_EXISTING, 0, 0); err != nil {
		os.Exit(1)
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
}

// answer prints what the module of package launcher would: that the launcher at script starts its program with these arguments.
func answer(script string, args []string) {
	vendor := filepath.Join(filepath.Dir(script), "..", "node_modules", "@openai", "codex-win32-x64", "vendor", "x86_64-pc-windows-msvc")
	var env [][2]string
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" {
			value = filepath.Join(vendor, "path") + ";" + value
		}
		env = append(env, [2]string{name, value})
	}
	node, _ := os.Executable()
	text, _ := json.Marshal(map[string]any{
		"how": "spawn", "file": filepath.Join(vendor, "codex", "codex.exe"), "args": args, "env": append(env, [2]string{"CODEX_MANAGED_BY_NPM", "1"}),
		"names": []string{"PATH"}, "options": map[string]string{"stdio": "inherit"}, "node": node,
	})
	fmt.Printf("%s", text)
}

func main() {
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case "args", "resume":
		fmt.Printf("%q\n", os.Args[2:])
	case "env":
		for _, name := range os.Args[2:] {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	case "--require": // as Node, in which npm's launcher is asked what it starts
		answer(os.Args[3], os.Args[4:])
	case "exit":
		status, _ := strconv.ParseInt(os.Args[2], 0, 64)
		os.Exit(int(status))
	case "wait":
		fmt.Println("waiting")
		for n := 0; ; n++ {
			text := strconv.Itoa(os.Getpid()) + " " + strconv.Itoa(n)
			if os.WriteFile(os.Args[2], []byte(text), 0o600) != nil {
				os.Exit(1)
			}
			time.Sleep(50 * time.Millisecond)
		}
	case "hold":
		hold(os.Args[2])
	case "write":
		// as programs do that replace a file
		tmp := os.Args[2] + ".new"
		if os.WriteFile(tmp, []byte(strings.Join(os.Args[3:], " ")+"\n"), 0o600) != nil || os.Rename(tmp, os.Args[2]) != nil {
			os.Exit(1)
		}
	case "mkdir":
		if os.MkdirAll(os.Args[2], 0o700) != nil {
			os.Exit(1)
		}
	case "login":
		text := `{"OPENAI_API_KEY":"` + os.Getenv("CODEX_FAKE_KEY") + `"}`
		if os.WriteFile(os.Getenv("CODEX_HOME")+`\auth.json`, []byte(text), 0o600) != nil {
			os.Exit(1)
		}
	case "logout":
		if err := os.Remove(os.Getenv("CODEX_HOME") + `\auth.json`); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
