//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"sort"
	"strconv"
	"strings"
)

// candidate is a command that is measured.
type candidate struct {
	name string
	env  []string
	args []string
}

// figures are the lower quartiles of one candidate.
type figures struct {
	wall, cpu float64 // in microseconds
	memory    float64 // peak, in kibibytes
}

// samples are what was measured of each candidate: wall, CPU and memory of each start, in the units of command measure.
type samples [][3][]float64

// measure starts each candidate this many times, in alternating order.
func (b *bench) measure(rounds int, list ...candidate) ([]figures, error) {
	s := make(samples, len(list))
	if err := b.sample(s, rounds, list); err != nil {
		return nil, err
	}
	return s.figures(), nil
}

// copies is how often [bench.measureCopies] copies the programs.
const copies = 10

// measureCopies is [bench.measure] over several copies of the programs, for figures that one copy's place in memory does not decide.
func (b *bench) measureCopies(rounds int, list ...candidate) ([]figures, error) {
	s := make(samples, len(list))
	for range copies {
		if err := b.copyPrograms(); err != nil {
			return nil, err
		}
		if err := b.sample(s, max(rounds/copies, 1), list); err != nil {
			return nil, err
		}
	}
	return s.figures(), nil
}

// sample adds what it measures to s.
func (b *bench) sample(s samples, rounds int, list []candidate) error {
	args := []string{strconv.Itoa(rounds)}
	for _, c := range list {
		args = append(append(append(args, "--"), c.env...), c.args...)
	}
	cmd := exec.Command(b.path("measure"), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("measure: %w: %s", err, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		i, err := strconv.Atoi(fields[0])
		if err != nil {
			return err
		}
		for k := range 3 {
			v, err := strconv.ParseFloat(fields[k+1], 64)
			if err != nil {
				return err
			}
			s[i][k] = append(s[i][k], v)
		}
	}
	return nil
}

// atExec takes into f how much memory each program has when it execs the next one, the lower quartile of 20 starts.
func (b *bench) atExec(list []candidate, f []figures) error {
	for i, c := range list {
		var sizes []float64
		for range 20 {
			cmd := exec.Command(b.path("memory"), c.args...)
			cmd.Env = c.env
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("memory: %w", err)
			}
			size, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				return err
			}
			sizes = append(sizes, size)
		}
		f[i].memory = quartile(sizes)
	}
	return nil
}

func (s samples) figures() []figures {
	list := make([]figures, len(s))
	for i, c := range s {
		list[i] = figures{quartile(c[0]) / 1e3, quartile(c[1]) / 1e3, quartile(c[2])}
	}
	return list
}

func quartile(list []float64) float64 {
	sort.Float64s(list)
	return list[len(list)/4]
}

// table prints the figures, with ratios to those of the first candidate.
func table(list []candidate, f []figures) {
	fmt.Print("\n| | wall | ratio | CPU | ratio | peak memory | ratio |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for i, c := range list {
		fmt.Printf("| %s | %.2f ms | %.2f | %.2f ms | %.2f | %.1f MiB | %.2f |\n", c.name, f[i].wall/1e3, f[i].wall/f[0].wall,
			f[i].cpu/1e3, f[i].cpu/f[0].cpu, f[i].memory/1024, f[i].memory/f[0].memory)
	}
}
