package install

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// readUserPath returns the user's PATH, its variables as they are written, and how it is stored; "" where there is none.
func readUserPath() (text string, kind uint32, err error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, "Environment", registry.QUERY_VALUE)
	if err != nil {
		return "", registry.EXPAND_SZ, err
	}
	defer key.Close()
	text, kind, err = key.GetStringValue("Path")
	if errors.Is(err, registry.ErrNotExist) {
		return "", registry.EXPAND_SZ, nil
	}
	return text, kind, err
}

// writeUserPath stores the user's PATH, or removes it where the text is empty, and tells the programs that show windows.
func writeUserPath(text string, kind uint32) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, "Environment", registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	switch {
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
	return err
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
	_, _, _ = sendMessageTimeout.Call(everyWindow, settingChange, 0, uintptr(unsafe.Pointer(name)), abortIfHung, milliseconds, 0) // a program that hangs is not told
}
