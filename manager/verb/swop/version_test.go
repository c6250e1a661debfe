//go:build unix

package swop

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionText(t *testing.T) {
	platform := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for version, want := range map[string]string{"v1.2.3": "v1.2.3", "v0.0.0-20261120120314-0123456789ab+dirty": "v0.0.0-20261120120314-0123456789ab+dirty", "": "(devel)"} {
		if got := versionText(&debug.BuildInfo{Main: debug.Module{Version: version}}); got != "swop "+want+" "+platform {
			t.Errorf("versionText of %q = %q", version, got)
		}
	}
	if got := versionText(nil); got != "swop (devel) "+platform {
		t.Errorf("without build info: versionText = %q", got)
	}
}
