package install

import (
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"swop/internal/disk"
)

// editUserPath gives the user's PATH, its variables as they are written, the text that edit returns for it, and tells the programs that
// show windows. Where it is missing, the text is "", and "" removes it. It returns what was there, and whether that was changed.
func editUserPath(edit func(text string) string) (was string, changed bool, err error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, "Environment", registry.QUERY_VALUE|registry.SET_VALUE)
	if err != nil {
		return "", false, err
	}
	defer key.Close()
	was, kind, err := key.GetStringValue("Path")
	if err = disk.Ignore(err, registry.ErrNotExist); err != nil {
		return "", false, err
	}
	text := edit(was)
	switch {
	case text == was:
		return was, false, nil
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
	return was, err == nil, err
}

var sendMessageTimeout = windows.NewLazySystemDLL("user32.dll").NewProc("SendMessageTimeoutW")

// broadcast lets Explorer read the environment again: programs that it starts from now on get the new PATH.
func broadcast() {
	const (
		everyWindow   = 0xffff
		settingChange = 0x1a
		abortIfHung   = 2
		milliseconds  = 2000
	)
	name, err := windows.UTF16PtrFromString("Environment")
	if err != nil || sendMessageTimeout.Find() != nil {
		return
	}
	// a program that hangs is not told
	_, _, _ = sendMessageTimeout.Call(everyWindow, settingChange, 0, uintptr(unsafe.Pointer(name)), abortIfHung, milliseconds, 0)
}
