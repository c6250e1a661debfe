//go:build unix

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// fakeServer is `codex app-server` for a client that asks for the limits of the account that it runs as.
func fakeServer(dir string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			fail(err)
		}
		switch m.Method {
		case "initialize":
			fmt.Printf("{\"method\":\"some/notification\",\"params\":{}}\n{\"id\":%s,\"result\":{\"userAgent\":\"fake\"}}\n", m.ID)
		case "account/read":
			fmt.Printf("{\"id\":%s,%s}\n", m.ID, cmp.Or(os.ExpandEnv(os.Getenv("CODEX_FAKE_ACCOUNT")), `"error":{"code":-32601,"message":"unknown"}`))
		case "account/rateLimits/read":
			_, of, _ := strings.Cut(os.Getenv("CODEX_HOME"), "/accounts/")
			key, _, _ := strings.Cut(of, "/")
			answerLimits(filepath.Join(dir, key), string(m.ID))
		}
	}
	os.Exit(0)
}

func answerLimits(file, id string) {
	text, err := os.ReadFile(file)
	if err != nil {
		text = []byte(`"error":{"code":-32600,"message":"codex account authentication required to read rate limits"}`)
	}
	word := strings.TrimSpace(string(text))
	if word == "hang" {
		time.Sleep(2 * time.Second)
	}
	fmt.Printf("{\"id\":%s,%s}\n", id, inFuture(word))
}

// inFuture returns text with the time in N seconds for each NOW+N.
func inFuture(text string) string {
	return regexp.MustCompile(`NOW\+\d+`).ReplaceAllStringFunc(text, func(after string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(after, "NOW+"))
		if err != nil {
			fail(err)
		}
		return fmt.Sprint(time.Now().Unix() + int64(n))
	})
}
