//go:build unix

package codexsandbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"swop/codexsandbox"
)

// A command in the sandbox of the codex on PATH, here a stand-in that runs it without one, and as no account.
func ExampleClient_Run() {
	home, _ := os.MkdirTemp("", "example-")
	defer os.RemoveAll(home)
	const codex = "#!/bin/sh\n[ \"$1\" != --version ] || exec echo codex-cli 0.169.0\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec " +
		"\"$@\"\n"
	_ = os.WriteFile(filepath.Join(home, "codex"), []byte(codex), 0o700)

	client := codexsandbox.Client{Env: []string{"HOME=" + home, "PATH=" + home + ":/usr/bin:/bin"}}
	run, err := client.Run(context.Background(), codexsandbox.Request{
		Command: []string{"sh", "-c", "echo built; exit 7"},
		Timeout: time.Minute,
	})
	fmt.Printf("%s%d %v\n", run.Stdout, run.Status, err)
	// Output:
	// built
	// 7 <nil>
}
