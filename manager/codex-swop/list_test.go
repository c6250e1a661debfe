//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/account/login"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// testApp is an app whose output is no terminal.
func testApp(t *testing.T) *app {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return &app{now: func() time.Time { return noon }, stdin: null, stdout: null, stderr: null}
}

func someAccounts(labels ...string) listAnswer {
	var l listAnswer
	for i, label := range labels {
		used := noon.Add(-time.Duration(i) * time.Hour)
		l.Accounts = append(l.Accounts, listEntry{
			Label: label, Active: i == 0, InUse: i == 1, State: account.StateShared, CreatedAt: noon.AddDate(0, -i, 0), LastUsedAt: &used,
			Login: login.Login{Mode: "chatgpt", Email: label + "@例え.example.com", Plan: "enterprise"},
		})
	}
	return l
}

// No line is wider than the terminal, whatever it is, and every label is there whole, if over several lines.
func TestListFits(t *testing.T) {
	a := testApp(t)
	for _, labels := range [][]string{
		{"work"},
		{"work", "Work Team", "ci"},
		{strings.Repeat("a-very-long-label-", 3) + "x", "b"},
	} {
		l := someAccounts(labels...)
		l.Accounts[0].State = account.StatePrivate
		for width := 1; width < 250; width++ {
			lines := a.listLines(l, width)
			for _, line := range lines {
				if got := cellWidth(line); got > width || strings.HasSuffix(line, " ") {
					t.Fatalf("in %d columns the list has the line %q of %d", width, line, got)
				}
			}
			whole := unspaced(strings.Join(lines, ""))
			for _, label := range labels {
				if !strings.Contains(whole, unspaced(label)) {
					t.Fatalf("in %d columns the list of %q is %q: a label is lost", width, labels, lines)
				}
			}
		}
	}
}

// A bound directory is complete where there is no terminal; on one its end is shown.
func TestListCutsDirectories(t *testing.T) {
	a := testApp(t)
	l := someAccounts("work")
	l.Accounts[0].bound = "/srv/clients/acme/例え/api-of-the-customer"
	if got := strings.Join(a.listLines(l, unbounded), "\n"); !strings.Contains(got, "  "+l.Accounts[0].bound+"  ") {
		t.Errorf("without a terminal the list is %q, want the whole of %q", got, l.Accounts[0].bound)
	}
	if got := strings.Join(a.listLines(l, 150), "\n"); !strings.Contains(got, "  …acme/例え/api-of-the-customer  ") {
		t.Errorf("in 150 columns the list is %q, want the end of %q", got, l.Accounts[0].bound)
	}
}

// unspaced is s without spaces, at which a label may be wrapped.
func unspaced(s string) string { return strings.ReplaceAll(s, " ", "") }

func TestListShowsWhatHasRoom(t *testing.T) {
	a := testApp(t)
	l := someAccounts("work", "personal")
	for width, want := range map[int]string{
		unbounded: "   ACCOUNT   LOGIN                                   LAST USED   CREATED",
		80:        "   ACCOUNT   LOGIN                                   LAST USED   CREATED",
		76:        "   ACCOUNT   LOGIN                                   LAST USED   CREATED",
		75:        "   ACCOUNT   LOGIN                                   LAST USED",
		60:        "   ACCOUNT   LOGIN                                LAST USED",
		45:        "   ACCOUNT   LOGIN                 LAST USED",
		44:        "   ACCOUNT   LOGIN",
		21:        "   ACCOUNT   LOGIN",
		20:        "   ACCOUNT",
		10:        "ACCOUNT",
	} {
		if got := a.listLines(l, width)[0]; got != want {
			t.Errorf("in %d columns the titles are %q, want %q", width, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	for since, want := range map[time.Duration]string{
		-48 * time.Hour: "2026-03-03", -30 * time.Second: "just now", 0: "just now", 59 * time.Second: "just now",
		time.Minute: "1 min ago", 59*time.Minute + 59*time.Second: "59 min ago", time.Hour: "1 h ago", 47 * time.Hour: "47 h ago",
		48 * time.Hour: "2 days ago", 59 * day: "59 days ago", 60 * day: "2 months ago", 729 * day: "24 months ago", 730 * day: "2 years ago",
	} {
		then := noon.Add(-since)
		if got := ago(noon, &then); got != want {
			t.Errorf("ago of %v = %q, want %q", since, got, want)
		}
	}
	if got := ago(noon, nil); got != "never" {
		t.Errorf("ago of nothing = %q, want %q", got, "never")
	}
}
