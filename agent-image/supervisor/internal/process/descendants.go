package process

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Mark is the environment variable by which the supervisor finds processes that left the group of their first process.
const Mark = "HAMLET_HANDS_PROCESS"

// environmentBytes are read of each process: the kernel stores the first variables first, and Mark is one of them.
const environmentBytes = 64 << 10

// statBytes suffice for the beginning of /proc/PID/stat, including the parent.
const statBytes = 512

// markOf returns the mark of a process; empty if the process replaced its environment.
func markOf(pid int) string {
	prefix := []byte(Mark + "=")
	for variable := range bytes.SplitSeq(readHead(pid, "environ", environmentBytes), []byte{0}) {
		if id, found := bytes.CutPrefix(variable, prefix); found {
			return string(id)
		}
	}
	return ""
}

func readHead(pid int, name string, most int64) []byte {
	open, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		return nil
	}
	defer func() { _ = open.Close() }()
	data, _ := io.ReadAll(io.LimitReader(open, most))
	return data
}

// parentOf returns the parent of a running process; 0 if it has ended.
func parentOf(pid int) int {
	stat := readHead(pid, "stat", statBytes)
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 || bytes.Equal(fields[0], []byte("Z")) {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}

// family lists the processes below the supervisor by their parent.
func family() map[int][]int {
	files, _ := filepath.Glob("/proc/[0-9]*")
	children := map[int][]int{}
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(file))
		if err != nil {
			continue
		}
		if parent := parentOf(pid); parent > 0 {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}

// everyProcess replaces a process id to mean the leftovers of all ended processes.
const everyProcess = ""

// leftOf lists the leftovers of a process: processes with its mark, strays, and all that these have started. A stray is an orphan
// whose mark names no process of the table, because a program removed it. The caller holds the table's lock, so that a process
// that is starting does not count as a stray.
func (t *Table) leftOf(id string) []int {
	children, own := family(), os.Getpid()
	found := []int{}
	var walk func(pid int, isLeft bool)
	walk = func(pid int, isLeft bool) {
		for _, child := range children[pid] {
			isKnown := t.byPid[child] != nil
			if isKnown && id == everyProcess {
				continue
			}
			mark := markOf(child)
			isStray := pid == own && !isKnown && t.byID[mark] == nil
			isChildLeft := isLeft || mark == id || isStray || id == everyProcess
			if isChildLeft && !isKnown {
				found = append(found, child)
			}
			walk(child, isChildLeft)
		}
	}
	walk(own, false)
	return found
}

// killRounds is the number of searches for processes to end, because these may start others meanwhile.
const killRounds = 5

// killLeft ends the leftovers of a process.
func (t *Table) killLeft(id string) {
	for range killRounds {
		t.mu.Lock()
		left := t.leftOf(id)
		t.mu.Unlock()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
