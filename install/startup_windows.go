package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"swop/internal/disk"
	"swop/internal/say"
)

// usualEnv is the file that a running shell reads.
const usualEnv = powerEnv

// dataDirs lead from the home to where swop is installed.
var dataDirs = []string{"AppData", "Local", "Programs", "swop"}

// startups returns all profiles that PowerShell reads.
func (s *session) startups() (files []startup) {
	documents, err := windows.KnownFolderPath(windows.FOLDERID_Documents, 0) // OneDrive may have moved it
	if err != nil {
		documents = filepath.Join(s.Home, "Documents")
	}
	for _, dir := range []string{"PowerShell", "WindowsPowerShell"} {
		for _, name := range []string{"profile.ps1", "Microsoft.PowerShell_profile.ps1"} {
			files = append(files, startup{filepath.Join(documents, dir, name), powerEnv, ""})
		}
	}
	return files
}

// rename puts a file in the place of one that may run. Windows lets a running program be renamed, but not removed: the next install removes
// it.
func rename(from, to string) error {
	_ = os.Remove(to + ".old") // a program that still runs stays
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrPermission) {
		if err = os.Rename(to, to+".old"); err == nil {
			err = os.Rename(from, to)
		}
	}
	return err
}

// changeUserPath replaces the user's PATH by the result of change.
func (s *session) changeUserPath(change func(text, dir string) string) {
	changed, err := editUserPath(func(text string) string { return change(text, s.bin) })
	if changed {
		s.did(`HKEY_CURRENT_USER\Environment\Path`, true)
	}
	s.Started = s.Started || err == nil
	if err != nil {
		err = fmt.Errorf("the user's PATH was not changed: %w", err)
		s.Warnings = append(s.Warnings, say.WithHint(err, "edit the PATH of your account: "+s.bin))
	}
}

// editUserPath replaces the user's PATH, with its variables unexpanded, by the result of edit, and notifies the programs that show windows.
// "" stands for no PATH.
func editUserPath(edit func(text string) string) (changed bool, err error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, "Environment", registry.QUERY_VALUE|registry.SET_VALUE)
	if err != nil {
		return false, err
	}
	defer key.Close()
	was, kind, err := key.GetStringValue("Path")
	if err = disk.Ignore(err, registry.ErrNotExist); err != nil {
		return false, err
	}
	text := edit(was)
	switch {
	case text == was:
		return false, nil
	case text == "":
		err = key.DeleteValue("Path")
	case kind == registry.SZ:
		err = key.SetStringValue("Path", text)
	default:
		err = key.SetExpandStringValue("Path", text)
	}
	if err == nil {
		broadcast()
	}
	return err == nil, err
}

// broadcast lets Explorer read the environment again: programs that it starts from now on get the new PATH.
func broadcast() {
	const everyWindow, settingChange, abortIfHung, milliseconds = 0xffff, 0x1a, 2, 2000
	name, _ := windows.UTF16PtrFromString("Environment") // it has no NUL
	send := windows.NewLazySystemDLL("user32.dll").NewProc("SendMessageTimeoutW")
	if send.Find() == nil { // a program that hangs is not told
		_, _, _ = send.Call(everyWindow, settingChange, 0, uintptr(unsafe.Pointer(name)), abortIfHung, milliseconds, 0)
	}
}
