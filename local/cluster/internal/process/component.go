// Package process starts the programs of a cluster and restarts them when they end.
package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type Component struct {
	Name string
	// Node is empty for a program that does not run on a node.
	Node string
	Args []string
	Env  []string
}

func (c Component) ID() string { return ID(c.Name, c.Node) }

func ID(name, node string) string {
	if node == "" {
		return name
	}
	return name + "-" + node
}

// Status is the present state of a component. Pid is 0 while it is down.
type Status struct {
	Name      string    `json:"name"`
	Node      string    `json:"node,omitempty"`
	Pid       int       `json:"pid"`
	Restarts  int       `json:"restarts"`
	StartedAt time.Time `json:"startedAt"`
	LastExit  string    `json:"lastExit,omitempty"`
}

// Record identifies a process by its id, start time and boot, because the kernel reuses ids.
type Record struct {
	Pid       int    `json:"pid"`
	StartTick uint64 `json:"startTick"`
	BootID    string `json:"bootID"`
}

func NewRecord(pid int) (Record, error) {
	tick, err := startTick(pid)
	if err != nil {
		return Record{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Record{}, err
	}
	return Record{Pid: pid, StartTick: tick, BootID: strings.TrimSpace(string(boot))}, nil
}

func (r Record) Alive() bool {
	now, err := NewRecord(r.Pid)
	return err == nil && now == r
}

// AwaitEnd returns when the process or the context has ended. A missing process counts as ended.
func AwaitEnd(ctx context.Context, pid int) {
	const pollEvery = time.Second
	record, err := NewRecord(pid)
	for err == nil && record.Alive() && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(pollEvery):
		}
	}
}

// LoadRecord reads a record; false if the file is missing or damaged.
func LoadRecord(file string) (r Record, ok bool) {
	raw, err := os.ReadFile(file)
	ok = err == nil && json.Unmarshal(raw, &r) == nil && r.Pid > 1
	return r, ok
}

func LoadRecords(folder string) map[string]Record {
	found := map[string]Record{}
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, file := range files {
		if r, ok := LoadRecord(file); ok {
			found[strings.TrimSuffix(filepath.Base(file), ".json")] = r
		}
	}
	return found
}

// startTick is field 22 of /proc/PID/stat. The command, field 2, may contain spaces and brackets, so counting starts
// after the last bracket. A zombie counts as ended.
func startTick(pid int) (uint64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	rest := string(raw[strings.LastIndexByte(string(raw), ')')+1:])
	fields := strings.Fields(rest)
	const stateField, tickField = 0, 19
	if len(fields) <= tickField || fields[stateField] == "Z" {
		return 0, fmt.Errorf("process %d is gone", pid)
	}
	return strconv.ParseUint(fields[tickField], 10, 64)
}
