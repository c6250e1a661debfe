package mount

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/filter"
)

// hostMount is a line of the table of mounts (proc_pid_mountinfo(5)).
type hostMount struct {
	id     string
	above  string // the mount that it lies in
	device string
	root   string // the path that is mounted, in its file system
	point  string // the path where it is mounted
}

// Table is a table of mounts.
type Table []hostMount

// ReadTable reads the table of a process.
func ReadTable(process string) (table Table, err error) {
	text, err := os.ReadFile("/proc/" + process + "/mountinfo")
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(text)) {
		const most = 6 // the others do not matter
		f := strings.SplitN(line, " ", most)
		if len(f) == most {
			table = append(table, hostMount{f[0], f[1], f[2], unescape.Replace(f[3]), unescape.Replace(f[4])})
		}
	}
	return table, err
}

// mountRequest is what listmount(2) and statmount(2) are asked for, struct mnt_id_req.
type mountRequest struct {
	size                       uint32
	mount, wanted, inNamespace uint64
}

// ask makes one of the calls. There is room for so many numbers of mounts, or bytes, in the answer.
func (r *mountRequest) ask(call uintptr, answer unsafe.Pointer, room int) (int, error) {
	r.size = uint32(unsafe.Sizeof(*r))
	n, _, errno := unix.Syscall6(call, uintptr(unsafe.Pointer(r)), uintptr(answer), uintptr(room), 0, 0, 0)
	if errno != 0 {
		return 0, os.NewSyscallError("listmount or statmount", errno)
	}
	return int(n), nil
}

// mountStatus is the answer of statmount(2), struct statmount.
type mountStatus struct {
	_            uint64
	has          uint64 // of what was wanted
	major, minor uint32
	_            [4]uint64
	id, above    uint32 // as in mountinfo
	_            [5]uint64
	root, point  uint32 // where they begin in text
	_            [50]uint64
	text         [1 << 15]byte
}

// What is wanted of statmount(2): devices, numbers, roots and points.
const (
	wantedOfMounts = 1 | 2 | 8 | wantedPoint
	wantedPoint    = 16
)

// allMounts returns all mounts that a process has from its root on. Mountinfo leaves out one whose point lies out of the root of the mount
// above, where a session can move it and back; before Linux 6.12 nothing else names mounts.
func allMounts(process string) (table Table, err error) {
	if !filter.HasScopes() {
		return ReadTable(process)
	}
	namespace, err := os.Open("/proc/" + process + "/ns/mnt")
	if err != nil {
		return nil, err
	}
	defer namespace.Close()
	var root unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, "/proc/"+process+"/root", 0, unix.STATX_MNT_ID_UNIQUE, &root); err != nil {
		return nil, os.NewSyscallError("statx", err)
	}
	r := mountRequest{mount: root.Mnt_id}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, namespace.Fd(), unix.NS_GET_MNTNS_ID, uintptr(unsafe.Pointer(&r.inNamespace)))
	if errno != 0 {
		return nil, os.NewSyscallError("ioctl", errno)
	}
	list := make([]uint64, 1<<17) // a namespace has at most 100,000, unless root says otherwise
	n, err := r.ask(unix.SYS_LISTMOUNT, unsafe.Pointer(&list[0]), len(list))
	if err == nil && n == len(list) {
		err = errors.New("too many mounts")
	}
	r.wanted = wantedOfMounts
	for _, r.mount = range append(list[:n], root.Mnt_id) {
		var m mountStatus
		if err == nil {
			_, err = r.ask(unix.SYS_STATMOUNT, unsafe.Pointer(&m), int(unsafe.Sizeof(m)))
		}
		if err != nil {
			return nil, err
		}
		point := ""
		if m.has&wantedPoint != 0 {
			point = unix.ByteSliceToString(m.text[m.point:])
		}
		device, above := fmt.Sprintf("%d:%d", m.major, m.minor), strconv.FormatUint(uint64(m.above), 10)
		table = append(table, hostMount{strconv.FormatUint(uint64(m.id), 10), above, device, unix.ByteSliceToString(m.text[m.root:]), point})
	}
	return table, nil
}

// mountOf returns the number of the mount that path is part of, "" for a missing path.
func mountOf(path string) string {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st) != nil {
		return ""
	}
	return strconv.FormatUint(st.Mnt_id, 10)
}

// Elsewhere returns the other paths that lead to a path, or to an entry in it: the path, the entry or a directory above is mounted there.
// It touches no other file system than the path's: a network's may hang.
func (t Table) Elsewhere(path string) (list []string) {
	own := mountOf(path)
	for _, at := range t {
		if at.id != own {
			continue
		}
		place := filepath.Join(at.root, strings.TrimPrefix(path, at.point))
		for _, m := range t {
			other, above := m.point, config.Within(place, m.root)
			if above {
				other = filepath.Join(m.point, strings.TrimPrefix(place, m.root))
			}
			leads := m.id != own && m.device == at.device && (above || config.Within(m.root, place))
			if leads && !config.Within(path, other) && mountOf(other) == m.id { // else another mount covers this one
				list = append(list, other)
			}
		}
	}
	return list
}

// ofSystem are the top directories of the system's own, and the root itself.
var ofSystem = []string{
	"", "usr", "bin", "sbin", "lib", "lib64", "etc", "var", "opt", "nix", "gnu", "snap", "sys", "proc", "dev", "run", "tmp",
}

// Beside returns the mount points of other file systems, except in the system's own directories.
func (t Table) Beside() (list []string) {
	for _, m := range t {
		top, _, _ := strings.Cut(strings.TrimPrefix(m.point, "/"), "/")
		if !slices.Contains(ofSystem, top) {
			list = append(list, m.point)
		}
	}
	return list
}

// Homes returns the homes in the text of passwd(5), except homes of the system's own users and in its directories.
func Homes(passwd string) (list []string) {
	for line := range strings.Lines(passwd) {
		f := strings.Split(line, ":")
		if len(f) != 7 {
			continue
		}
		const ordinary = 1000 // is the first number of such a user: login.defs(5)
		uid, _ := strconv.Atoi(f[2])
		if dir := filepath.Clean("/" + f[5]); uid >= ordinary && !slices.Contains(ofSystem, dir[1:]) {
			list = append(list, dir)
		}
	}
	return list
}

// places returns the mounts by their places: a path in the mount above, and so on up to the root of the process. What is mounted onto
// itself is in its place.
func (t Table) places() map[string]hostMount {
	byID, list := t.byID(), map[string]hostMount{}
	for _, m := range t {
		place, last := "", ""
		for at, ok := m, true; ok; at, ok = byID[at.above] {
			if line := at.device + " " + at.root + " " + at.point + "\n"; line != last {
				place, last = place+line, line
			}
		}
		list[place] = m
	}
	return list
}

func (t Table) byID() map[string]hostMount {
	list := map[string]hostMount{}
	for _, m := range t {
		list[m.id] = m
	}
	return list
}

// CheckMounts fails unless the process has each mount of this process in its place, be it covered: then no program in that mount namespace
// can rename an entry that is covered here, or see what lies below. The program at path is to be uncovered. In the directories where the
// session makes sockets, the process must have nothing of elsewhere: by a descriptor of it the session would make a socket there.
func CheckMounts(process int, path string, sockets []string) error {
	own, err1 := allMounts("self")
	of, err2 := allMounts(strconv.Itoa(process))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	has, ours, byID := of.places(), own.places(), of.byID()
	programs, theirs := mountOf(path), mountOf(fmt.Sprintf("/proc/%d/root%s", process, path))
	for place, m := range ours {
		if of, ok := has[place]; !ok || m.id == programs && of.id != theirs {
			const text = "the sandbox leaves out what the session has mounted at %s: begin with --ro-bind / /, and mount nothing more on /"
			return fmt.Errorf(text, m.point)
		}
	}
	inside, elsewhere, null := map[string]bool{}, map[string]bool{}, hostMount{} // the first two by devices
	for _, m := range own {
		inside[m.device] = inside[m.device] || slices.Contains(sockets, m.point)
		elsewhere[m.device] = !inside[m.device]
		if m.point == os.DevNull { // by which codex covers files
			null = m
		}
	}
	for place, m := range has {
		if _, is := ours[place]; is || !elsewhere[m.device] || m.device == null.device && m.root == null.root {
			continue
		}
		for at, ok := m, true; ok; at, ok = byID[at.above] {
			if inside[at.device] {
				return fmt.Errorf("the sandbox has %s in %s, where the session makes sockets: mount it elsewhere", cmp.Or(m.point, "a mount"), at.point)
			}
		}
	}
	return nil
}
