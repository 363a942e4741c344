//go:build unix

package engine

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A port is a TCP port of 127.0.0.1 that is kept for a server of ours: the socket
// is bound but does not listen, so that nobody else is given the port, and a
// server that binds with SO_REUSEPORT may come, die and come again.
type port struct {
	number int
	socket int
}

// keepPort keeps the port with that number, or a free one for 0.
func keepPort(number int) (port, error) {
	syscall.ForkLock.RLock()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(s)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return port{}, os.NewSyscallError("socket", err)
	}
	p := port{socket: s}
	if p.number, err = bindLoopback(s, number); err != nil {
		p.release()
		return port{}, fmt.Errorf("take port %d of 127.0.0.1: %w", number, err)
	}
	return p, nil
}

func bindLoopback(s, number int) (int, error) {
	for _, option := range []int{unix.SO_REUSEADDR, unix.SO_REUSEPORT} {
		if err := unix.SetsockoptInt(s, unix.SOL_SOCKET, option, 1); err != nil {
			return 0, os.NewSyscallError("setsockopt", err)
		}
	}
	if err := unix.Bind(s, &unix.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	at, err := unix.Getsockname(s)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	return at.(*unix.SockaddrInet4).Port, nil
}

func (p port) addr() string { return "127.0.0.1:" + strconv.Itoa(p.number) }

func (p *port) release() {
	if p.socket > 0 {
		_ = unix.Close(p.socket)
		p.socket = 0
	}
}
