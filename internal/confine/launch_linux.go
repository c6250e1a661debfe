package confine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"

	"swop/internal/confine/desk"
	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/confine/proxy"
	"swop/internal/say"
	"swop/internal/session/socket"
	"swop/internal/session/supervise"
)

// Start starts the program at path inside. All of the session dies with this process.
func (j *Jail) Start(path string, args, env []string) (c supervise.Child, err error) {
	if err = j.launch(j.program(j.scene.Start, path, args, env)); err != nil {
		j.note(desk.Refused, desk.Ask{}, err.Error())
		return c, err
	}
	return child(j.now), nil
}

// program returns a program for inside, as limited as the policy says.
func (j *Jail) program(dir, path string, args, env []string) mount.Program {
	return mount.Program{Nested: j.scene.Policy.Nested, Sockets: j.scene.ownDirs(), Dir: dir, Path: path, Args: args, Env: env}
}

// launch lets the middle process make the mounts and start the program, and serves the session's network.
func (j *Jail) launch(p mount.Program) error {
	for _, r := range j.scene.roots {
		if slices.Contains(r.readonly, r.path) {
			const why = ": it cannot be read, no .codex can be made in it, or too much in it is .git or .codex, or leads there or back to it"
			j.scene.Tell(say.Name(r.path) + " is read-only" + why)
		}
		if r.more {
			const text = "%s has more than %d directories: .git and .codex are read-only in the nearest"
			j.scene.Tell(fmt.Sprintf(text, say.Name(r.path), mostLooked))
		}
	}
	network, forwarded := j.scene.Policy.Network, j.forwarded()
	plan := mount.Plan{Helper: HelperPath, Program: p, Mounts: j.scene.mounts("/")}
	if !network.Host {
		plan.Listen = append([]int{proxy.Port}, slices.Sorted(maps.Keys(forwarded))...)
		plan.Reach = j.scene.Policy.Ports
	}
	listeners, err := start(j.now, plan)
	if len(listeners) > 0 {
		blocked := func(address, why string) {
			j.note(desk.Blocked, desk.Ask{Kind: desk.KindConnect, Target: address}, why)
		}
		if network.All {
			network.Hosts = append(network.Hosts, "*")
		}
		p := proxy.New(listeners[0], network.Hosts, func() []string { return append(j.desk.Hosts(), j.scene.granted...) }, blocked)
		j.scene.AtEnd(p.Close)
		for i, port := range plan.Listen[1:] {
			go socket.ForwardTo(listeners[i+1], forwarded[port])
		}
	}
	return err
}

// forwarded returns the ports of the session's network that lead to this machine, and where each leads: a bridge's to its own address,
// since another user can have its port at another one, those in the list of hosts as named.
func (j *Jail) forwarded() map[int]string {
	to := map[int]string{}
	for _, host := range append(slices.Clip(j.scene.Policy.Network.Hosts), j.scene.granted...) {
		name, port, _ := net.SplitHostPort(host) // one without a port has no number
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && n > 0 && proxy.IsLocal(name) {
			to[int(n)] = net.JoinHostPort(name, port)
		}
	}
	for _, port := range j.scene.Ports {
		to[port] = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	delete(to, proxy.Port)
	return to
}

// start carries out the first plan. It waits until the helper says that the program runs, or why not.
func start(l *mount.Launch, p mount.Plan) (listeners []net.Listener, err error) {
	if listeners, err = l.Make(p); err != nil {
		return nil, notMade(err)
	}
	err = desk.Started(l.Helper)
	if errno, tried := errors.AsType[syscall.Errno](err); tried {
		err = &os.PathError{Op: "run", Path: p.Program.Path, Err: errno}
	} else if err != nil {
		err = notMade(err)
	}
	return listeners, err
}

// child returns the program inside. The helper reports each change of it, as wait(2) has it, and sends it the signals that are written to
// it. All of the session stops and goes on with it: else another process would read what the terminal gets meanwhile.
func child(l *mount.Launch) supervise.Child {
	return supervise.Child{
		Signal: func(sig syscall.Signal) error {
			if sig == syscall.SIGCONT {
				l.Signal(sig)
			}
			return binary.Write(l.Helper, binary.NativeEndian, uint32(sig))
		},
		Wait: func() (status syscall.WaitStatus) {
			if binary.Read(l.Helper, binary.NativeEndian, &status) != nil {
				status = supervise.Killed
			}
			if status.Stopped() {
				l.Signal(syscall.SIGSTOP)
			} else {
				l.First.End() // now all inside is dead
				l.FlushInput()
			}
			return status
		},
	}
}

// Kernel names the mechanism that keeps the signals of a session inside, and says what this kernel does not keep, "" for nothing.
func Kernel() (signals, lacks string) {
	if !filter.KeepsSockets() {
		lacks = "this kernel has no Landlock, or one before Linux 5.19: two sessions at once can replace what is read-only in what they " +
			"can write, and read what is hidden there"
	}
	if filter.HasScopes() {
		return "Landlock", lacks
	}
	return "the filter of system calls", lacks
}

// Check fails with a [*Unavailable] where no session can be confined: it makes one that sees all, by this program.
func Check() error {
	l, err := mount.Begin("/proc/self/exe", nil, true)
	if err != nil {
		return err
	}
	defer l.Close()
	const none = "/" // is no program: the helper says so once it is sealed
	_, err = start(l, mount.Plan{
		Helper: "/proc/self/exe", Program: mount.Program{Dir: "/", Path: none, Args: []string{none}},
		Mounts: []mount.Mount{{Kind: mount.Writable, Source: "/", Target: "/"}, {Kind: mount.Processes, Target: "/proc"}},
	})
	if errors.As(err, new(*os.PathError)) {
		return nil
	}
	return err
}
