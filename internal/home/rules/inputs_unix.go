//go:build unix

package rules

import (
	"swop/config"
	"swop/internal/disk"
)

// digest adds up all that decides what a look at an account finds, beside the directories. Whoever holds a part of that adds it in an
// add method, all its fields or none; a test goes through the fields of each by reflection, and fails for one that is not added.
type digest uint64

func (d *digest) number(n uint64) { *d = digest(disk.Mix(uint64(*d) ^ n)) }

func (d *digest) text(s string) { d.number(disk.Sum(s)) }

func (d *digest) texts(list []string) {
	for _, s := range list {
		d.text(s)
	}
	d.number(uint64(len(list)))
}

// bits returns the flags as the bits of a number.
func bits(flags ...bool) (n uint64) {
	for i, set := range flags {
		if set {
			n |= 1 << i
		}
	}
	return n
}

func (r *Rule) add(d *digest) {
	properties := bits(r.Transcript, r.AppendOnly, r.Transient, r.Regenerated, r.Database)
	d.number(disk.Sum(r.Pattern) ^ properties<<16 ^ uint64(r.Confined)<<4 ^ uint64(r.Class))
}

func (r Rules) add(d *digest) {
	d.texts(r.Private)
	d.texts(r.Shared)
	for i := range r.rows {
		r.rows[i].add(d)
	}
	d.number(uint64(len(r.rows))<<16 | bits(r.ownTranscripts, r.guard))
	if r.guard {
		d.texts(guarded)
		d.texts(guardedEnds)
	}
}

// stampVersion changes with the meaning of a stamp.
const stampVersion = 7

// Inputs is the sum of all that a look depends on beside the directories: the rules, where the homes are, and which isolation holds.
func (r *Subject) Inputs(isolation string, private config.Private) uint64 {
	d := digest(stampVersion)
	CodexHomeRules(private.CodexHome, r.Account.Meta.State).Sharing(private.Shared).add(&d)
	HomeRules(private.Home, "").add(&d) // the name of the root follows from the two paths below, but would take a look at the disk
	for _, text := range [...]string{r.Layout.Root, r.Layout.Home, r.Account.Key, r.Account.Meta.Confine, isolation, r.Root.SharedHome.Path} {
		d.text(text)
	}
	d.texts(r.Root.Former)
	d.number(r.Root.SharedHome.Device) // the same fingerprint, and these, are what Root.Check would find
	d.number(r.Root.SharedHome.Inode)
	return uint64(d)
}
