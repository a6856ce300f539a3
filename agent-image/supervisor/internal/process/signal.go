package process

import (
	"fmt"
	"syscall"
)

var signals = map[string]syscall.Signal{
	"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "KILL": syscall.SIGKILL,
	"TERM": syscall.SIGTERM, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "STOP": syscall.SIGSTOP,
	"CONT": syscall.SIGCONT, "WINCH": syscall.SIGWINCH, "XCPU": syscall.SIGXCPU, "XFSZ": syscall.SIGXFSZ,
	"SEGV": syscall.SIGSEGV, "ABRT": syscall.SIGABRT, "PIPE": syscall.SIGPIPE, "BUS": syscall.SIGBUS, "FPE": syscall.SIGFPE,
	"ILL": syscall.SIGILL, "ALRM": syscall.SIGALRM,
}

func SignalNamed(name string) (syscall.Signal, bool) {
	signal, known := signals[name]
	return signal, known
}

func signalName(signal syscall.Signal) string {
	for name, each := range signals {
		if each == signal {
			return name
		}
	}
	return fmt.Sprint(int(signal))
}

// sendToGroup signals all processes of a group. A process that was just forked has no group of its own yet. The caller holds the
// table's lock, so that the number still belongs to that process.
func sendToGroup(pid int, signal syscall.Signal) error {
	err := syscall.Kill(-pid, signal)
	if err == syscall.ESRCH {
		return syscall.Kill(pid, signal)
	}
	return err
}
