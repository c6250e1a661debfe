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

// post asks s as codex does and returns the whole answer.
func post(t *testing.T, s *responses.Server, token, text string) (string, error) {
	t.Helper()
	base := regexp.MustCompile(`base_url = "(.*)"`).FindStringSubmatch(s.Config())[1]
	body := `{"input":[{"content":[{"text":"` + text + `"}]}]}`
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
