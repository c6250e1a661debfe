//go:build unix

package codexsandbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"swop/account"
	"swop/account/store"
	"swop/codexsandbox"
	"swop/config"
)

// Run a command under an account, and look at what came of it. A program passes os.Environ() for Env; the example has a home and a
// codex of its own.
func ExampleClient_Run() {
	env, remove := exampleHome()
	defer remove()

	client := &codexsandbox.Client{Account: "work", Env: env, Now: time.Now}
	run, err := client.Run(context.Background(), codexsandbox.Request{
		Command:  []string{"sh", "-c", "echo built; exit 3"},
		FullAuto: true, // the working directory can be written
		Timeout:  time.Minute,
	})
	if err != nil {
		fmt.Println("not run:", err)
		return
	}
	fmt.Printf("status %d, %q\n", run.Status, run.Stdout)
	fmt.Printf("codex %v got %q\n", run.Release, run.Args[:4])
	// Output:
	// status 3, "built\n"
	// codex 0.169.0 got ["codex" "sandbox" "-P" ":workspace"]
}

// exampleHome makes a home with an account "work", and a codex that confines nothing.
func exampleHome() (env []string, remove func()) {
	home, err := os.MkdirTemp("", "swop-example-")
	check(err)
	home, err = filepath.EvalSymlinks(home)
	check(err)
	shared := filepath.Join(home, ".codex")
	check(os.Mkdir(shared, 0o700))
	st := store.Store{Layout: account.Layout{Places: config.Places{Home: home, Root: filepath.Join(home, ".swop"), Config: filepath.Join(home, ".config", "swop")}}}
	_, err = st.Create(store.New{Label: "work", State: account.StateShared, SharedHome: shared, Now: time.Now()})
	check(err)
	const codex = "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 0.169.0 && exit\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n"
	check(os.WriteFile(filepath.Join(home, "codex"), []byte(codex), 0o700))
	return []string{"HOME=" + home, "PATH=" + home + ":/usr/bin:/bin"}, func() { check(os.RemoveAll(home)) }
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
	}
}
