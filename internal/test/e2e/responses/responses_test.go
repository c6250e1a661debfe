package responses_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"swop/internal/test/e2e/responses"
)

// send asks s as codex does and returns the complete answer.
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

// A command that takes longer than codex waits for it is waited for all the same.
func TestCallThatTakesLong(t *testing.T) {
	s := responses.Start()
	defer s.Close()
	s.Call("make")
	if answer, err := send(t, s, "sk", `{"input":[{"content":[{"text":"run it"}]}]}`); err != nil ||
		!strings.Contains(answer, "exec_command") {
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
