//go:build unix

package accounts

import (
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/account/login"
	"swop/internal/testcall"
	"swop/manager/terminal"
)

func someAccounts(labels ...string) ListAnswer {
	var l ListAnswer
	for i, label := range labels {
		used := testcall.Noon.Add(-time.Duration(i) * time.Hour)
		l.Accounts = append(l.Accounts, ListEntry{
			Label: label, Active: i == 0, InUse: i == 1, State: account.StateShared, CreatedAt: testcall.Noon.AddDate(0, -i, 0), LastUsedAt: &used,
			Login: login.Login{Mode: "chatgpt", Email: label + "@例え.example.com", Plan: "enterprise"},
		})
	}
	return l
}

// No line is wider than a terminal of 80 columns or more, and no label is cut.
func TestListFits(t *testing.T) {
	a := testcall.New(t)
	for _, labels := range [][]string{
		{"work"},
		{"work", "Work Team", "ci"},
		{strings.Repeat("a-very-long-label-", 3) + "and-long-x", "b"}, // the longest that there is
	} {
		l := someAccounts(labels...)
		l.Accounts[0].State = account.StatePrivate
		for width := terminal.Usual; width < 250; width++ {
			lines := ListLines(a, l, width)
			for _, line := range lines {
				if got := terminal.Cells(line); got > width || strings.HasSuffix(line, " ") {
					t.Fatalf("in %d columns the list has the line %q of %d", width, line, got)
				}
			}
			for _, label := range labels {
				if !strings.Contains(strings.Join(lines, "\n"), label) {
					t.Fatalf("in %d columns the list of %q is %q: a label is lost", width, labels, lines)
				}
			}
		}
	}
}

// A bound directory is complete where there is no terminal; on one its end is shown.
func TestListCutsDirectories(t *testing.T) {
	a := testcall.New(t)
	l := someAccounts("work")
	l.Accounts[0].bound = "/srv/clients/acme/例え/api-of-the-customer"
	if got := strings.Join(ListLines(a, l, terminal.Unbounded), "\n"); !strings.Contains(got, "  "+l.Accounts[0].bound+"  ") {
		t.Errorf("without a terminal the list is %q, want the whole of %q", got, l.Accounts[0].bound)
	}
	if got := strings.Join(ListLines(a, l, 150), "\n"); !strings.Contains(got, "  …acme/例え/api-of-the-customer  ") {
		t.Errorf("in 150 columns the list is %q, want the end of %q", got, l.Accounts[0].bound)
	}
}

func TestListShowsWhatHasRoom(t *testing.T) {
	a := testcall.New(t)
	for _, tt := range []struct {
		label string
		width int
		want  string
	}{
		{"work", terminal.Unbounded, "   ACCOUNT  LOGIN                               LAST USED  CREATED"},
		{"work", 80, "   ACCOUNT  LOGIN                               LAST USED  CREATED"},
		{"work", 20, "   ACCOUNT  LOGIN                               LAST USED  CREATED"},
		{"a label of two words more", 80, "   ACCOUNT                    LOGIN                                    LAST USED"},
		{strings.Repeat("x", 60), 80, "   ACCOUNT                                                       LOGIN"},
	} {
		if got := ListLines(a, someAccounts(tt.label), tt.width)[0]; got != tt.want {
			t.Errorf("in %d columns the titles of %q are %q, want %q", tt.width, tt.label, got, tt.want)
		}
	}
}
