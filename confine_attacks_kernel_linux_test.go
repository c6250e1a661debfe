package swop_test

// attacksByKernel are on the promise that the kernel says who is at the other end.
func attacksByKernel() []attack {
	return []attack{
		// Processes, terminals, sockets, the kernel.
		{name: "see a process outside", script: `test -d "/proc/$VICTIM/fd"`},
		{name: "kill a process outside", policy: full, script: `kill "$VICTIM"`},
		{name: "kill a process outside by its cgroup", policy: full, script: `unshare -rmC sh -c 'mount -t cgroup2 none /mnt && test -w /mnt/cgroup.procs'`, root: true},
		{name: "read the environment of a process outside", script: `grep -q victim-secret "/proc/$VICTIM/environ"`},
		{name: "unlock the account", script: `flock -n "$REAL/.swop/locks/work" true || { for fd in /proc/self/fd/*; do test "$(readlink "$fd")" = "$REAL/.swop/locks/work" && exit 0; done; exit 1; }`},
		{name: "enter the namespaces of a process outside", script: `nsenter -t "$VICTIM" -m true`, root: true},
		{name: "connect to an abstract socket", script: `attack abstract "$ABSTRACT"`},
		{name: "connect to a socket in the home", script: `attack unix "$REAL/agent.sock"`},
		{name: "connect to a socket in the home by HOME", script: `attack unix "$HOME/agent.sock"`},
		{name: "connect to a socket in /tmp", policy: full, script: `attack unix "$TMPSOCKET"`},
		{name: "connect to a socket that was moved", script: `attack unix "$REAL/project/moved.sock"`},
		{name: "connect to a socket by another name", policy: full, script: `ln moved.sock other.sock && attack unix "$PWD/other.sock"`},
		{name: "connect to a socket that is made later", policy: full, script: `attack later`},
		{name: "send a datagram", script: `attack datagram datagrams.sock`},
		{name: "trace the first process", policy: full, script: `attack trace`},
		{name: "signal the job", policy: full, script: `kill -URG 0`, outside: `test -e "$REAL/signalled"`, job: true},
		{name: "signal the job by a key", policy: full, script: `attack async; s=$?; ` + outsideFirst + `exit $s`, outside: `test -e "$REAL/signalled"`, job: true, typed: true},
		{name: "write to another terminal", policy: full, script: `echo x >"$TTY"`},
		{name: "see the host's /tmp", script: `test -S "$TMPSOCKET"`},
		{name: "type into the terminal", policy: full, script: `attack type`},
		{name: "read memory that is shared with a process outside", policy: full, script: `ipcs -m -i "$SHM" | grep -q "shmid=$SHM"`},
		{name: "paste into the console", script: `attack paste`},
		{name: "read the kernel's keyring", policy: full, script: `attack keyring`},
		{name: "read a device", policy: full, script: `dd if=/dev/kmsg bs=8192 count=1`, root: true},
		{name: "change what the kernel runs", policy: full, script: `f=/proc/sys/kernel/core_pattern; v=$(cat $f); printf %s "$v" >$f`, root: true},
		{name: "change the kernel's parameters in /sys", policy: full, script: `f=/sys/kernel/mm/transparent_hugepage/enabled; test -w $f`, root: true},
		{name: "change the kernel's parameters in another /sys", policy: full, script: `unshare -rmn sh -c 'mount -t sysfs none /mnt && test -w /mnt/kernel/mm/transparent_hugepage/enabled'`, root: true},
		{name: "share the host's name, which root's sandboxes can change", policy: full, script: `test "$(readlink /proc/self/ns/uts)" = "$UTS"`},
		{name: "make a device", policy: full, script: `mknod dev b 1 1`, root: true},
		{name: "mount over a mask", policy: full, script: `mount -t tmpfs none /mnt && umount /mnt`, root: true},
	}
}
