package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// An event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// counts are how the tests ended. Subtests count, too.
type counts struct {
	w              io.Writer
	passed, failed int
	leftOut        map[string]int      // by reason
	partly         map[string]int      // tests that passed without a part, by its reason
	names          []string            // of the tests and packages that failed
	unasked        []string            // tests that were skipped for another reason
	output         map[string][]string // of tests that have not ended, and of packages, by name
}

func newCounts(w io.Writer) *counts {
	return &counts{w: w, leftOut: map[string]int{}, partly: map[string]int{}, output: map[string][]string{}}
}

// read counts the events, and prints a line for each package and the output of what failed.
func (n *counts) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) > 0 && json.Unmarshal(line, &e) == nil:
			n.count(e)
		case len(line) > 0:
			fmt.Fprintf(n.w, "%s", line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (n *counts) count(e event) {
	name := strings.Trim(e.Package+"."+e.Test, ".")
	switch e.Action {
	case "output":
		if !isProgress(e) {
			n.output[name] = append(n.output[name], e.Output)
		}
	case "build-output":
		fmt.Fprint(n.w, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			n.endPackage(e)
		} else {
			n.endTest(e, name)
		}
		delete(n.output, name)
	}
}

// isProgress reports whether go test prints the line to say which test runs, or how a package ended.
func isProgress(e event) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(e.Output), "\t")
	return strings.HasPrefix(word, "=== ") || e.Test == "" && (word == "PASS" || word == "FAIL" || word == "ok  ")
}

func (n *counts) endTest(e event, name string) {
	switch e.Action {
	case "pass":
		n.passed++
		if reason := reasonIn(n.output[name], "stop: left out: "); reason != "" { // of a script
			n.partly[reason]++
		}
	case "fail":
		n.failed++
		n.names = append(n.names, name)
		n.print(name)
	case "skip":
		if reason := reasonIn(n.output[name], "left out: "); reason != "" {
			n.leftOut[reason]++
			return
		}
		n.unasked = append(n.unasked, name)
		n.print(name)
	}
}

// reasonIn returns what follows the last mark in what a test has said, up to the end of the line. A script also says each line that it
// comes to, the one that skips it last.
func reasonIn(output []string, mark string) string {
	said := strings.Join(output, "")
	at := strings.LastIndex(said, mark)
	if at < 0 {
		return ""
	}
	reason, _, _ := strings.Cut(said[at+len(mark):], "\n")
	return strings.TrimSuffix(reason, "'")
}

// endPackage prints a line for a package that has tests; for one that fails also what its tests have said that did not end.
func (n *counts) endPackage(e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(n.w, "ok    %-36s %6.1fs\n", e.Package, e.Elapsed)
	case "fail":
		before := n.failed
		for _, name := range slices.Sorted(maps.Keys(n.output)) {
			if name == e.Package || strings.HasPrefix(name, e.Package+".") {
				n.print(name)
			}
		}
		fmt.Fprintf(n.w, "FAIL  %-36s %6.1fs\n", e.Package, e.Elapsed)
		n.names = append(n.names, e.Package)
		n.failed = max(before, 1) // a package that ran no test counts as well
	}
}

func (n *counts) print(name string) {
	fmt.Fprint(n.w, strings.Join(n.output[name], ""))
	delete(n.output, name)
}

// summary says how many tests ended how, "N passed, N failed, N left out, in TIME", after why some were left out, and ends with the names
// of those that failed.
func (n *counts) summary(took time.Duration) string {
	var b strings.Builder
	total := 0
	for _, reason := range slices.Sorted(maps.Keys(n.leftOut)) {
		fmt.Fprintf(&b, "left out: %4d %s\n", n.leftOut[reason], reason)
		total += n.leftOut[reason]
	}
	for _, reason := range slices.Sorted(maps.Keys(n.partly)) {
		fmt.Fprintf(&b, "left out: %4d %s, for a part of the test\n", n.partly[reason], reason)
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d left out, in %s\n", n.passed, n.failed+len(n.unasked), total, took.Round(time.Second))
	for _, name := range n.unasked {
		fmt.Fprintf(&b, "skipped, which nothing asked for: %s\n", name)
	}
	for _, name := range n.names {
		fmt.Fprintf(&b, "failed: %s\n", name)
	}
	return b.String()
}
