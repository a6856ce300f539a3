package process

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Mark is the environment variable by which the supervisor finds processes that left the group of the first one.
const Mark = "HAMLET_HANDS_PROCESS"

// environmentBytes is read of each process: the kernel puts the first variables first, and Mark is one of those.
const environmentBytes = 64 << 10

// marked lists the pids whose environment has the mark of the process.
func marked(id string) []int {
	want := []byte(Mark + "=" + id)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	found := []int{}
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && pid != os.Getpid() && hasVariable(file, want) {
			found = append(found, pid)
		}
	}
	return found
}

func hasVariable(file string, want []byte) bool {
	open, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = open.Close() }()
	environment, _ := io.ReadAll(io.LimitReader(open, environmentBytes))
	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		if bytes.Equal(variable, want) {
			return true
		}
	}
	return false
}

// killMarked ends every process with the mark of one. They may start others meanwhile, so it looks a few times until
// none is left.
func killMarked(id string) {
	const rounds = 5
	for range rounds {
		left := marked(id)
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
