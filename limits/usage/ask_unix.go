//go:build unix

package usage

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
)

// Question says which codex is asked, and as whom.
type Question struct {
	Path string
	Args []string   // its own argv[0] first
	Env  config.Env // the account's
	At   time.Time
}

// Databases is where the codex that is asked keeps its databases: in the sandbox, with which they go.
func Databases(acct account.Account) string { return filepath.Join(acct.Dir, "usage-db") }

// Arguments are those with which codex is started to be asked: its databases are in the directory databases, and it starts nothing that the question does
// not need.
func Arguments(databases string) []string {
	text, _ := json.Marshal(databases) // a string; TOML reads JSON's escapes
	return []string{
		"-c", "sqlite_home=" + string(text),
		"-c", "features.plugins=false", "-c", "features.apps=false", "-c", "features.remote_plugin=false", "-c", "analytics.enabled=false",
		"app-server",
	}
}

// Ask returns what the real codex says of the account's limits, or a [Problem]. ctx bounds how long it may take. Nothing of the process
// is left when it returns.
func Ask(ctx context.Context, q Question) (Reading, error) {
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	cmd := exec.CommandContext(ctx, q.Path)
	cmd.Args, cmd.Env, cmd.Dir = q.Args, q.Env, "/" // no project's configuration
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGINT) } // npm's launcher has a child
	cmd.WaitDelay = interruptTime
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return Reading{}, err
	}
	var result []byte
	var problem error
	answered := make(chan struct{})
	go func() {
		result, problem = converse(stdin, stdout)
		close(answered)
		_, _ = io.Copy(io.Discard, stdout) // so that codex can end, whatever it still writes
	}()
	select {
	case <-answered:
		defer time.AfterFunc(endTime, interrupt).Stop()
		end(cmd, stdin)
		if problem != nil {
			return Reading{}, problem
		}
		return parseReading(result, q.At)
	case <-ctx.Done():
		end(cmd, stdin)
		return Reading{}, Timeout
	}
}

const (
	// endTime is how long codex may take to end by itself after its answer. It takes about 20 ms; it may be writing a login that it has just renewed.
	endTime = 2 * time.Second
	// interruptTime is how long it may take after SIGINT: 0.59 to 0.169 take 12 ms. While a request runs they ignore the end of their input, and
	// since 0.155 SIGTERM.
	interruptTime = time.Second
)

// end closes codex's input and waits for its end. What outlives it is killed; mostly nothing does.
func end(cmd *exec.Cmd, stdin io.Closer) {
	_ = stdin.Close() // codex may have gone
	_ = cmd.Wait()    // how it ends says nothing
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
}

// converse says hello to codex, and asks: it returns the result, or a [Problem]. Messages are JSON, one a line.
func converse(stdin io.Writer, stdout io.Reader) ([]byte, error) {
	in := bufio.NewScanner(stdout)
	in.Buffer(nil, maxLine)
	hello := `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"swop","title":"swop","version":"1"}}}` + "\n"
	if _, err := call(stdin, in, hello, "1"); err != nil {
		return nil, err
	}
	question := `{"method":"initialized"}` + "\n" + `{"id":2,"method":"account/rateLimits/read"}` + "\n"
	return call(stdin, in, question, "2")
}

// The most that is read of codex: its answer has about a kilobyte, and it sends notifications before.
const (
	maxLine  = 1 << 20
	maxLines = 1000
)

// call sends a request and reads until its answer.
func call(stdin io.Writer, in *bufio.Scanner, request, id string) (result []byte, problem error) {
	if _, err := io.WriteString(stdin, request); err != nil {
		return nil, Unsupported // codex has ended
	}
	for range maxLines {
		switch {
		case in.Scan():
		case errors.Is(in.Err(), bufio.ErrTooLong):
			return nil, Unreadable
		default:
			return nil, Unsupported
		}
		var m struct {
			ID, Result json.RawMessage
			Method     string
			Error      *rpcError
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.Method != "" || string(m.ID) != id {
			continue // a notification, a request to us, or what a wrapper prints
		}
		switch {
		case m.Error != nil:
			return nil, m.Error.problem()
		case len(m.Result) == 0:
			return nil, Unreadable
		}
		return m.Result, nil
	}
	return nil, Unreadable
}

// rpcError is an error of JSON-RPC. Its message has the server's raw answer in it, which is looked into and never shown.
type rpcError struct {
	Code    int
	Message string
}

// The codes that codex uses (0.47 to 0.169).
const (
	invalidRequest = -32600 // no login, an API key, or a method that it does not know
	methodNotFound = -32601
)

func (e *rpcError) problem() Problem {
	text, _, _ := strings.Cut(strings.ToLower(e.Message), "body=") // what the server wrote itself decides nothing
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	switch {
	case e.Code == invalidRequest && has("chatgpt authentication required"):
		return APIKey
	case e.Code == invalidRequest && has("authentication required"):
		return LoggedOut
	case e.Code == invalidRequest, e.Code == methodNotFound:
		return Unsupported
	case has("failed: 401", "sign in again", "log in again"): // the second where a token cannot be renewed; a failure on the way there says neither
		return Refused
	case has("error sending request", "connect", "dns", "timed out", "connection", "network"):
		return Offline
	}
	return Failed
}
