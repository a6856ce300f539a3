package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// ChildCommand is the first argument of this program in a new process, before it becomes the wanted program.
const ChildCommand = "child"

// Exit codes of a program that cannot be started, as in a shell.
const (
	exitNotFound    = 127
	exitNotRunnable = 126
)

// oomScore makes the kernel choose a tool before the supervisor when memory runs out.
const oomScore = "500"

const (
	rlimitCPU, rlimitFileSize = syscall.RLIMIT_CPU, syscall.RLIMIT_FSIZE
	// rlimitTasks is RLIMIT_NPROC of Linux on amd64 and arm64, which the package syscall does not name.
	rlimitTasks = 6
)

// BecomeChild sets the limits of this process and replaces it by the program: args are the limits as JSON, and argv.
// It returns only if the program cannot be started.
func BecomeChild(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "hamlet-hands: child needs limits and a program")
		return exitNotRunnable
	}
	var limits Limits
	if err := json.Unmarshal([]byte(args[0]), &limits); err != nil {
		fmt.Fprintln(os.Stderr, "hamlet-hands: the limits cannot be read:", err)
		return exitNotRunnable
	}
	// Without this score, the kernel decides by size alone.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)
	if err := setLimits(limits); err != nil {
		fmt.Fprintln(os.Stderr, "hamlet-hands: the limits cannot be set:", err)
		return exitNotRunnable
	}
	argv := args[1:]
	path, err := exec.LookPath(argv[0])
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "%s: not found\n", argv[0])
		return exitNotFound
	}
	if err == nil || errors.Is(err, exec.ErrDot) {
		err = syscall.Exec(path, argv, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", argv[0], err)
	return exitNotRunnable
}

func setLimits(limits Limits) error {
	for _, each := range []struct {
		resource int
		value    uint64
	}{
		{rlimitCPU, limits.CPUSeconds},
		{rlimitFileSize, limits.FileBytes},
		{syscall.RLIMIT_NOFILE, limits.OpenFiles},
		{rlimitTasks, maxTasks},
	} {
		if each.value == 0 {
			continue
		}
		var now syscall.Rlimit
		if err := syscall.Getrlimit(each.resource, &now); err != nil {
			return err
		}
		value := min(each.value, now.Max)
		if err := syscall.Setrlimit(each.resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return err
		}
	}
	return nil
}
