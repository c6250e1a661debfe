//go:build unix

package install

import "path/filepath"

// A session is one run of Install or Uninstall.
type session struct {
	o          Options
	prefix     string
	bin        string // <prefix>/bin
	npm        string // <prefix>/npm
	place      *place // of the start-up files; nil until it is asked for
	record     record // what earlier runs made, and this one
	needsCodex bool   // the real Codex must be installed
	onPath     bool   // a start-up file has swop's lines
	report     Report
}

// begin returns a session, with the record of earlier runs. The error wraps [ErrUsage] or [disk.ErrUnsafe] where the options are refused.
func begin(o Options) (*session, error) {
	if !filepath.IsAbs(o.Home) {
		return nil, usage("the home directory is %q, which is not an absolute path", o.Home)
	}
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix(o.Home, o.Env)
	}
	if err := checkPrefix(o.Prefix); err != nil {
		return nil, err
	}
	if err := checkOwner(o.Home, o.Env); err != nil {
		return nil, err
	}
	if o.Shell == "" {
		o.Shell = o.Env.Value("SHELL")
	}
	s := &session{o: o, prefix: o.Prefix, bin: filepath.Join(o.Prefix, "bin"), npm: filepath.Join(o.Prefix, "npm")}
	s.report.Bin = s.bin
	rec, err := readRecord(s.prefix, o.Home)
	s.record = rec
	return s, err
}
