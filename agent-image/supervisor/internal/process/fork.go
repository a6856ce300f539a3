package process

import (
	"syscall"
	"unsafe"
)

// Exit codes of a program that cannot be started, as in a shell.
const (
	exitNotFound    = 127
	exitNotRunnable = 126
)

type limit struct {
	resource uintptr
	value    syscall.Rlimit
}

// newborn contains everything that a new process needs before it executes its program. The new process has only one of the
// supervisor's threads, so it can neither allocate memory nor start threads: everything is prepared in the kernel's form.
type newborn struct {
	limits []limit
	folder *byte
	// files become stdin, stdout and stderr. None of them has one of these numbers already.
	files     [3]uintptr
	path      *byte
	argv, env []*byte
	// isThere is true if the file of the program exists: then "not found" refers to its interpreter.
	isThere bool
	// name begins the message about a program that cannot be started.
	name []byte
}

// The runtime allows other packages to fork with these (go.dev/issue/67401): signals wait in the parent, and have no handler in
// the child.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// fork starts the process, and does not wait for its program, so that a process that is stopped or killed meanwhile blocks
// nothing. The limits apply from the first instruction of the program.
//
//go:noinline
//go:norace
func (n *newborn) fork() (pid int, err error) {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	child, errno := n.clone()
	if errno != 0 {
		return 0, errno
	}
	return int(child), nil
}

//go:nosplit
//go:noinline
//go:norace
func (n *newborn) clone() (pid uintptr, errno syscall.Errno) {
	beforeFork()
	pid, _, errno = syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		afterFork()
		return pid, errno
	}
	afterForkInChild()
	n.become()
	return 0, 0
}

var (
	oomFile = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'o', 'o', 'm', '_', 's', 'c', 'o', 'r', 'e', '_', 'a', 'd', 'j', 0}
	// oomScore makes the kernel choose a tool before the supervisor when memory runs out.
	oomScore = [...]byte{'5', '0', '0'}
)

// become runs in the new process and does not return.
//
//go:nosplit
//go:norace
func (n *newborn) become() {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	if errno != 0 {
		n.fail(errno)
	}
	// Without this score, the kernel decides only by size.
	file, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, 0, uintptr(unsafe.Pointer(&oomFile)), syscall.O_WRONLY|syscall.O_CLOEXEC, 0, 0, 0)
	if errno == 0 {
		_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, file, uintptr(unsafe.Pointer(&oomScore)), uintptr(len(oomScore)))
	}
	for to := range uintptr(3) {
		if _, _, errno = syscall.RawSyscall(syscall.SYS_DUP3, n.files[to], to, 0); errno != 0 {
			n.fail(errno)
		}
	}
	for i := range n.limits {
		each := &n.limits[i]
		if _, _, errno = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, each.resource, uintptr(unsafe.Pointer(&each.value)), 0, 0, 0); errno != 0 {
			n.fail(errno)
		}
	}
	if n.folder != nil {
		if _, _, errno = syscall.RawSyscall(syscall.SYS_CHDIR, uintptr(unsafe.Pointer(n.folder)), 0, 0); errno != 0 {
			n.fail(errno)
		}
	}
	_, _, errno = syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(n.path)), uintptr(unsafe.Pointer(&n.argv[0])), uintptr(unsafe.Pointer(&n.env[0])))
	n.fail(errno)
}

// fail reports, as a shell does, why the program cannot start, and ends the new process.
//
//go:nosplit
//go:norace
func (n *newborn) fail(errno syscall.Errno) {
	why, code := ": cannot be started\n", exitNotRunnable
	switch errno {
	case syscall.ENOENT:
		why = ": no such file or directory\n"
		if !n.isThere {
			why, code = ": not found\n", exitNotFound
		}
	case syscall.EACCES, syscall.EPERM:
		why = ": permission denied\n"
	case syscall.ENOEXEC:
		why = ": exec format error\n"
	case syscall.E2BIG:
		why = ": argument list too long\n"
	}
	const stderr = 2
	_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, stderr, uintptr(unsafe.Pointer(unsafe.SliceData(n.name))), uintptr(len(n.name)))
	_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, stderr, uintptr(unsafe.Pointer(unsafe.StringData(why))), uintptr(len(why)))
	for {
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0)
	}
}
