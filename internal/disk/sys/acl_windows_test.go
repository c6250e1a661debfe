//go:build !wine

package sys

import (
	"testing"

	"golang.org/x/sys/windows"
)

const me = "S-1-5-21-1-2-3-1001"

// Who may read, write or replace a file, by its ACL in the words of SDDL.
func TestOthers(t *testing.T) {
	user, err := windows.StringToSid(me)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, sddl           string
		read, write, replace bool // by another user
	}{
		{"what swop makes", "O:" + me + ownerOnly + me + ")", false, false, false},
		{"a profile", "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + me + ")", false, false, false},
		{"readable by everyone", "O:" + me + "D:(A;;FA;;;" + me + ")(A;;FR;;;WD)", true, false, false},
		{"below C:\\, made by an administrator", "O:BAD:(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)", true, true, true},
		{"the top of C:", "O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:P(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;AU)(A;OICIIO;SDGXGWGR;;;AU)", true, true, false},
		{"only for what is made in it", "O:" + me + "D:(A;;FA;;;" + me + ")(A;OICIIO;GA;;;CO)(A;OICIIO;FA;;;BU)", false, false, false},
		{"others may delete what is in it", "O:" + me + "D:(A;;FA;;;" + me + ")(A;;DT;;;BU)", false, true, true},
		{"others may take the rights", "O:" + me + "D:(A;;FA;;;" + me + ")(A;;WD;;;BU)", false, true, true},
		{"owned by another", "O:S-1-5-21-1-2-3-1002D:(A;;FA;;;" + me + ")", true, true, true},
		{"refused to others", "O:" + me + "D:(D;;FA;;;WD)(A;;FA;;;" + me + ")", false, false, false},
		{"without an ACL", "O:" + me, true, true, true},
	} {
		sd, err := windows.SecurityDescriptorFromString(tt.sddl)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for rights, want := range map[Access]bool{ToRead: tt.read, ToWrite: tt.write, ToReplace: tt.replace} {
			if who, err := othersIn(sd, user, rights); (who != "") != want || err != nil {
				t.Errorf("%s: %#x has %q, %v; want somebody: %t", tt.name, uint32(rights), who, err, want)
			}
		}
	}
}
