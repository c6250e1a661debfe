//go:build !wine

package sys

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ownerOnly is what the protected ACL of a directory or file of swop's gives: everything to SYSTEM, to Administrators and to the user, whose SID
// follows, also for what is made in the directory (https://learn.microsoft.com/windows/win32/secauthz/security-descriptor-string-format).
const ownerOnly = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;"

func ownerOnlyDescriptor() (*windows.SECURITY_DESCRIPTOR, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString(ownerOnly + user.User.Sid.String() + ")")
}

// MakeDir makes a directory that the user, SYSTEM and Administrators alone may use, from its first moment on.
func MakeDir(path string) error {
	sd, err := ownerOnlyDescriptor()
	name, err2 := windows.UTF16PtrFromString(path)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	attributes := &windows.SecurityAttributes{SecurityDescriptor: sd}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	return Errno(windows.CreateDirectory(name, attributes))
}

// Protect gives a file or directory the ACL of [MakeDir].
func Protect(path string) error {
	sd, err := ownerOnlyDescriptor()
	if err != nil {
		return err
	}
	dacl, _, err := sd.DACL()
	if err != nil {
		return err
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	return Errno(windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, what, nil, nil, dacl, nil))
}

// Access is what another user may do with a file.
type Access uint32

const (
	// ToRead is to read it, or to list a directory.
	ToRead Access = windows.FILE_READ_DATA
	// ToWrite is to write to it, to remove it, or to take these rights.
	ToWrite Access = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.DELETE | toReplace
	// ToReplace is to put another entry in the place of one in the directory.
	ToReplace Access = windows.DELETE | toReplace

	fileDeleteChild = 0x40
	toReplace       = fileDeleteChild | windows.WRITE_DAC | windows.WRITE_OWNER
)

// Others returns another user or group that has one of these rights to the file, "" for none.
func Others(path string, rights Access) (who string, err error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.OWNER_SECURITY_INFORMATION)
	user, err2 := windows.GetCurrentProcessToken().GetTokenUser()
	if err := errors.Join(Errno(err), err2); err != nil {
		return "", &fs.PathError{Op: "read the ACL of", Path: path, Err: err}
	}
	return othersIn(sd, user.User.Sid, rights)
}

func othersIn(sd *windows.SECURITY_DESCRIPTOR, user *windows.SID, rights Access) (who string, err error) {
	owner, _, err := sd.Owner()
	if err == nil && owner != nil && !trusted(owner, user) {
		return nameOf(owner), nil // who owns a file may give any right away
	}
	dacl, _, err := sd.DACL()
	if err != nil || dacl == nil {
		return "everyone", nil //nolint:nilerr // without an ACL nothing is refused
	}
	for i := range uint32(dacl.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(dacl, i, &ace); err != nil {
			return "", err
		}
		sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
		if allows(ace, rights) && !trusted(sid, user) {
			return nameOf(sid), nil
		}
	}
	return "", nil
}

// allows reports whether the entry gives one of the rights to the file itself, and not only to what is made in it.
func allows(ace *windows.ACCESS_ALLOWED_ACE, rights Access) bool {
	const callback = 9 // ACCESS_ALLOWED_CALLBACK_ACE_TYPE: under a condition
	if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE && ace.Header.AceType != callback || ace.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
		return false
	}
	mask := uint32(ace.Mask)
	return mask&uint32(rights) != 0 || mask&windows.GENERIC_ALL != 0 || mask&windows.GENERIC_WRITE != 0 && rights&ToWrite == ToWrite
}

// trustedInstaller owns what Windows installed, the directories of drives among it.
const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

// trusted reports whether the rights of sid are no danger: those of the user, of the system, of administrators, and of whoever owns the file.
func trusted(sid, user *windows.SID) bool {
	system := []windows.WELL_KNOWN_SID_TYPE{
		windows.WinLocalSystemSid, windows.WinBuiltinAdministratorsSid, windows.WinCreatorOwnerSid, windows.WinCreatorOwnerRightsSid,
	}
	return sid.Equals(user) || sid.String() == trustedInstaller || slices.ContainsFunc(system, sid.IsWellKnown)
}

// nameOf returns the name of the user or group, or the SID where it has none.
func nameOf(sid *windows.SID) string {
	name, domain, _, err := sid.LookupAccount("")
	if err != nil {
		return sid.String()
	}
	return strings.TrimPrefix(domain+`\`+name, `\`)
}
