package responses_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"swop/e2e/responses"
)

// post asks s as codex does and returns the complete answer.
func post(t *testing.T, s *responses.Server, token, text string) (string, error) {
	t.Helper()
	return send(t, s, token, `{"input":[{"content":[{"text":"`+text+`"}]}]}`)
}

func send(t *testing.T, s *responses.Server, token, body string) (string, error) {
	t.Helper()
	base := regexp.MustCompile(`base_url = "(.*)"`).FindStringSubmatch(s.Config())[1]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/responses", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

func TestTurnsInAnyOrder(t *testing.T) {
	s := responses.Start()
	defer s.Close()
	for _, text := range []string{"one", "two"} {
		answer, err := post(t, s, "sk-"+text, text)
		if err != nil || !strings.Contains(answer, responses.Reply) || !strings.Contains(answer, "response.completed") {
			t.Fatalf("the answer to %q is %q, %v", text, answer, err)
		}
	}
	for _, text := range []string{"two", "one"} {
		if r, err := s.Turn(t.Context(), text); err != nil || r.Bearer != "sk-"+text {
			t.Errorf("Turn(%q) = %q, %v, want %q", text, r.Bearer, err, "sk-"+text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := s.Turn(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("Turn(%q) again = %q, %v, want %v", "one", r.Bearer, err, context.Canceled)
	}
}

// A command that takes longer than codex waits for it is waited for all the same.
func TestCallThatTakesLong(t *testing.T) {
	s := responses.Start()
	defer s.Close()
	s.Call("make")
	if answer, err := post(t, s, "sk", "run it"); err != nil || !strings.Contains(answer, "exec_command") {
		t.Fatalf("the first answer is %q, %v, want a command", answer, err)
	}
	const first = `{"type":"function_call_output","output":"Wall time: 20 seconds\nProcess running with session ID 7\nOutput:\nbe"}`
	const last = `{"type":"function_call_output","output":"Process exited with code 0\nOutput:\ngun\nProcess running with session ID 8\n"}`
	answer, err := send(t, s, "sk", `{"input":[`+first+`]}`)
	if err != nil || !strings.Contains(answer, "write_stdin") || !strings.Contains(answer, `\"session_id\":7,`) {
		t.Errorf("the answer to a report of a running command is %q, %v, want that it is waited for", answer, err)
	}
	if answer, err = send(t, s, "sk", `{"input":[`+first+`,`+last+`]}`); err != nil || !strings.Contains(answer, responses.Reply) {
		t.Errorf("the answer to the last report is %q, %v, want %q", answer, err, responses.Reply)
	}
	r, err := s.Turn(t.Context(), "Process running")
	if want := "begun\nProcess running with session ID 8\n"; err != nil || r.Output() != want {
		t.Errorf("the output is %q, %v, want %q", r.Output(), err, want)
	}
}

func TestHold(t *testing.T) {
	s := responses.Start()
	defer s.Close()
	release := s.Hold()
	answers := make(chan string)
	go func() {
		answer, err := post(t, s, "sk", "wait")
		if err != nil {
			t.Error(err)
		}
		answers <- answer
	}()
	if _, err := s.Turn(t.Context(), "wait"); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-answers:
		t.Fatalf("answered %q while held", got)
	default:
	}
	release()
	if got := <-answers; !strings.Contains(got, responses.Reply) {
		t.Errorf("the answer is %q, want %q in it", got, responses.Reply)
	}
}

func TestCloseEndsHeldAnswers(t *testing.T) {
	s := responses.Start()
	s.Hold()
	ended := make(chan string)
	go func() {
		answer, _ := post(t, s, "sk", "wait") // an error, or an answer cut short
		ended <- answer
	}()
	if _, err := s.Turn(t.Context(), "wait"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := <-ended; strings.Contains(got, "response.completed") {
		t.Errorf("the answer is complete: %q", got)
	}
}
