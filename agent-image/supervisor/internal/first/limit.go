// Package first reads values that other packages change when they are initialised.
package first

import (
	"runtime"
	"unsafe"
)

// OpenFiles is the limit of open files with which this process started, as struct rlimit64. Package syscall raises the soft limit
// for this process. A program must not inherit that, because some programs close every possible file. Go initialises packages in
// the order of their paths, and no import of this package delays it.
var OpenFiles struct{ Soft, Hard uint64 }

func init() {
	const openFiles = 7 // RLIMIT_NOFILE
	_, _, _ = rawSyscall6(prlimit(), 0, openFiles, 0, uintptr(unsafe.Pointer(&OpenFiles)), 0, 0)
}

// prlimit is SYS_PRLIMIT64 of the package syscall.
func prlimit() uintptr {
	if runtime.GOARCH == "arm64" {
		return 261
	}
	return 302
}

// rawSyscall6 is the function of package syscall, without its import.
//
//go:linkname rawSyscall6 syscall.RawSyscall6
//go:nosplit
func rawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr)
