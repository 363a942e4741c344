//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A port is a TCP port of 127.0.0.1 that is reserved: the socket is bound but does
// not listen. The system gives the port to no other program, and a server that
// binds with SO_REUSEPORT can use it and end any number of times.
type port struct {
	number int
	socket int
}

// reservePort reserves the port with that number, or a free one for 0. A first socket, without SO_REUSEPORT, finds that
// another program reserved it in this way: the two servers would share its connections.
func reservePort(number int) (port, error) {
	if number != 0 {
		alone, err := bindPort(number, unix.SO_REUSEADDR)
		if err != nil {
			return port{}, err
		}
		alone.release()
	}
	return bindPort(number, unix.SO_REUSEADDR, unix.SO_REUSEPORT)
}

func bindPort(number int, options ...int) (port, error) {
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
	if p.number, err = bindLoopback(s, number, options); err != nil {
		p.release()
		return port{}, fmt.Errorf("reserve port %d of 127.0.0.1: %w", number, err)
	}
	return p, nil
}

func bindLoopback(s, number int, options []int) (int, error) {
	for _, option := range options {
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

// listen accepts connections at a reserved port.
func (p port) listen() (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) error {
		var failed error
		err := socket.Control(func(fd uintptr) {
			failed = os.NewSyscallError("setsockopt", unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
		})
		return errors.Join(err, failed)
	}}
	return config.Listen(context.Background(), "tcp4", p.addr())
}

func (p *port) release() {
	if p.socket > 0 {
		_ = unix.Close(p.socket)
		p.socket = 0
	}
}
