//go:build unix

package process

import (
	"encoding/binary"
	"slices"
	"testing"
)

// A block of kern.procargs2, as <sys/sysctl.h> and the kernel's sysctl_procargsx describe it: no block of a Mac was at hand.
func procargs(argc int, text string) []byte {
	return append(binary.NativeEndian.AppendUint32(nil, uint32(argc)), text...)
}

func TestReadArgs(t *testing.T) {
	for name, tt := range map[string]struct {
		block []byte
		want  Process
	}{
		"codex":                {procargs(2, "/opt/bin/codex\x00\x00\x00codex\x00exec\x00HOME=/h\x00PATH=/bin\x00CODEX_HOME=/c\x00"), Process{Command: "codex", exe: "/opt/bin/codex", args: []string{"codex", "exec"}, env: processEnv{home: "/h", codexHome: "/c"}}},
		"an empty argument":    {procargs(3, "/bin/x\x00/bin/x\x00\x00y\x00HOME=/h\x00"), Process{Command: "x", exe: "/bin/x", args: []string{"/bin/x", "", "y"}, env: processEnv{home: "/h"}}},
		"a hidden environment": {procargs(1, "/bin/sh\x00sh\x00"), Process{Command: "sh", exe: "/bin/sh", args: []string{"sh"}}},
		"no arguments":         {procargs(0, "/bin/x\x00HOME=/h\x00"), Process{exe: "/bin/x"}},
		"too few arguments":    {procargs(9, "/bin/x\x00x\x00"), Process{exe: "/bin/x"}},
		"a negative number":    {procargs(-1, "/bin/x\x00x\x00"), Process{exe: "/bin/x"}},
		"no end":               {procargs(1, "/bin/x"), Process{exe: "/bin/x", args: []string{""}}},
		"cut off":              {[]byte{1, 0}, Process{}},
		"nothing":              {nil, Process{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got Process
			got.readArgs(tt.block)
			if got.Command != tt.want.Command || got.exe != tt.want.exe || !slices.Equal(got.args, tt.want.args) || got.env != tt.want.env {
				t.Errorf("readArgs(%q) gives %+v, want %+v", tt.block, got, tt.want)
			}
		})
	}
}
