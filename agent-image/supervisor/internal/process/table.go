// Package process starts the processes of tools, stores their output and their ends, and reaps every orphan.
package process

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

type Table struct {
	folder string
	// note stores the running processes, so that the next start of the container can name the lost ones.
	note func([]Lost)

	mu      sync.Mutex
	byID    map[string]*process
	byPid   map[int]*process
	closing bool
	// notice is added to the record of the next program that ends by itself.
	notice string
	// started gets a value at each start, for the watch of the disk.
	started chan struct{}
	// past holds the ids of dropped processes, oldest first; the table refuses to start them again.
	past []string
}

// NewTable makes a table that stores outputs in a folder, which it empties.
func NewTable(folder string, note func([]Lost)) (*Table, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	return &Table{folder: folder, note: note, byID: map[string]*process{}, byPid: map[int]*process{}, started: make(chan struct{}, 1)}, nil
}

func (t *Table) Start(spec Spec) (Record, *Fault) {
	if err := spec.check(); err != nil {
		return Record{}, fault("invalid", err.Error())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.byID[spec.Process]; known != nil {
		record := known.record()
		record.Existing = true
		return record, nil
	}
	if slices.Contains(t.past, spec.Process) {
		return Record{}, forgotten()
	}
	if t.closing {
		return Record{}, fault("closing", "the pod is ending: nothing new starts")
	}
	if t.running() >= MaxRunning {
		return Record{}, fault("too_many", "32 processes run already: wait for one, or end one")
	}
	if failure := t.makeRoom(); failure != nil {
		return Record{}, failure
	}
	begun, failure := t.begin(spec)
	if failure != nil {
		return Record{}, failure
	}
	t.byID[spec.Process] = begun
	t.byPid[begun.pid] = begun
	t.noteStart()
	t.noteRunning()
	return begun.record(), nil
}

func (t *Table) running() int {
	count := 0
	for _, each := range t.byID {
		if !each.hasEnded() {
			count++
		}
	}
	return count
}

// makeRoom forgets the process that ended first, if the table is full.
func (t *Table) makeRoom() *Fault {
	if len(t.byID) < MaxKept {
		return nil
	}
	var oldest *process
	for _, each := range t.byID {
		if each.hasEnded() && (oldest == nil || each.ended.Before(oldest.ended)) {
			oldest = each
		}
	}
	if oldest == nil {
		return fault("too_many", "128 processes are kept: forget one")
	}
	t.drop(oldest)
	return nil
}

const maxPast = 4_096

func (t *Table) drop(p *process) {
	delete(t.byID, p.spec.Process)
	if len(t.past) >= maxPast {
		t.past = slices.Delete(t.past, 0, maxPast/2)
	}
	t.past = append(t.past, p.spec.Process)
	p.discard()
}

func (t *Table) noteRunning() {
	lost := []Lost{}
	for _, id := range slices.Sorted(maps.Keys(t.byID)) {
		if each := t.byID[id]; !each.hasEnded() {
			lost = append(lost, Lost{Process: id, Owner: each.spec.Owner, Program: programName(each.spec), StartedMs: each.started.UnixMilli()})
		}
	}
	t.note(lost)
}

// Reap waits for ended children until there are none, and stores the ends of those in the table. The others were orphans of
// tools.
func (t *Table) Reap() {
	for t.reapOne() {
	}
}

// reapOne returns false if no child has ended. It holds the lock, so that a pid in the table belongs to its process until the end
// is stored.
func (t *Table) reapOne() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	if err == syscall.EINTR {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	if each := t.byPid[pid]; each != nil {
		delete(t.byPid, pid)
		each.end(status)
		if each.exit.Cause == ByItself {
			each.note, t.notice = t.notice, ""
		}
		t.noteRunning()
	}
	return true
}

func forgotten() *Fault {
	return fault("forgotten", "the process of that id has ended, and its record was dropped")
}

func (t *Table) find(id string) (*process, *Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.byID[id]; found != nil {
		return found, nil
	}
	if slices.Contains(t.past, id) {
		return nil, forgotten()
	}
	return nil, fault("no_such_process", "there is no process of that id: it was never started, or ended when the machine started again. Look at what it left, and start it again")
}

// Wait returns the record of a process once it has ended, or after the timeout.
func (t *Table) Wait(id string, most time.Duration) (Record, *Fault) {
	found, failure := t.find(id)
	if failure != nil {
		return Record{}, failure
	}
	select {
	case <-found.over:
		found.drain()
	case <-time.After(most):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return found.record(), nil
}

// List returns the processes of an owner, or all, by their start and without their output.
func (t *Table) List(owner string) []Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	records := []Record{}
	for _, each := range t.byID {
		if owner == "" || each.spec.Owner == owner {
			record := each.record()
			record.Stdout, record.Stderr = nil, nil
			records = append(records, record)
		}
	}
	slices.SortFunc(records, func(a, b Record) int { return int(a.StartedMs - b.StartedMs) })
	return records
}

// Follow returns kept bytes of a stream from an offset. It waits for the first of them until the timeout.
func (t *Table) Follow(id, stream string, at Range) (Part, *Fault) {
	found, failure := t.find(id)
	if failure != nil {
		return Part{}, failure
	}
	switch {
	case stream == "stdout":
		return found.stdout.follow(at.Offset, at.Bytes, at.Wait), nil
	case stream == "stderr" && found.stderr != nil:
		return found.stderr.follow(at.Offset, at.Bytes, at.Wait), nil
	}
	return Part{}, fault("invalid", "stream must be stdout, or stderr of a process whose streams are not merged")
}

// Range is the part of a stream that a reader requests.
type Range struct {
	Offset, Bytes int64
	Wait          time.Duration
}

func (t *Table) Signal(id string, signal syscall.Signal) *Fault {
	found, failure := t.find(id)
	if failure != nil {
		return failure
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// The group id of an ended process may have been reused.
	if found.hasEnded() {
		return fault("ended", "the process has ended")
	}
	if err := sendToGroup(found.pid, signal); err != nil {
		return fault("failed", err.Error())
	}
	return nil
}

// Kill asks the group of a process to end, and after grace kills it with everything that it started.
func (t *Table) Kill(id string, grace time.Duration) (Record, *Fault) {
	found, failure := t.find(id)
	if failure != nil {
		return Record{}, failure
	}
	t.stop(found, ByRequest, grace)
	return t.Wait(id, reapTime)
}

// reapTime suffices for the end of a killed process, unless the kernel is stuck.
const reapTime = 5 * time.Second

// stop ends a process and its leftovers. It returns when that is done or has failed.
func (t *Table) stop(p *process, cause Cause, grace time.Duration) {
	t.mu.Lock()
	isOver := p.hasEnded()
	if !isOver && p.cause == "" {
		p.cause = cause
	}
	if !isOver && grace > 0 {
		_ = sendToGroup(p.pid, syscall.SIGTERM)
	}
	t.mu.Unlock()
	if !isOver && grace > 0 {
		select {
		case <-p.over:
		case <-time.After(grace):
		}
	}
	t.mu.Lock()
	// After the end, the group id may be reused; the mark still finds the leftovers.
	if !p.hasEnded() {
		_ = sendToGroup(p.pid, syscall.SIGKILL)
	}
	t.mu.Unlock()
	t.killLeft(p.spec.Process)
}

func (t *Table) Forget(id string) *Fault {
	found, failure := t.find(id)
	if failure != nil {
		return failure
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !found.hasEnded() {
		return fault("running", "the process still runs: kill it first")
	}
	t.drop(found)
	return nil
}

// CloseOwner ends and forgets all processes of an owner, with their leftovers. It returns their number.
func (t *Table) CloseOwner(owner string) int {
	t.mu.Lock()
	closed := []*process{}
	for _, each := range t.byID {
		if each.spec.Owner == owner {
			closed = append(closed, each)
		}
	}
	t.mu.Unlock()
	for _, each := range closed {
		t.stop(each, ByRequest, 0)
		_, _ = t.Wait(each.spec.Process, reapTime)
		_ = t.Forget(each.spec.Process)
	}
	return len(closed)
}

// Close starts nothing more, asks all processes to end, and kills the remaining ones after grace.
func (t *Table) Close(grace time.Duration) {
	t.mu.Lock()
	t.closing = true
	all := slices.Collect(maps.Values(t.byID))
	t.mu.Unlock()
	var waiting sync.WaitGroup
	for _, each := range all {
		waiting.Go(func() { t.stop(each, ByRequest, grace) })
	}
	waiting.Wait()
	_ = os.RemoveAll(filepath.Clean(t.folder))
}

// stdinTime is the time for which Feed waits for a process that does not read its input.
const stdinTime = 5 * time.Second

// Feed writes to the input of a process that was started with an open input, and closes it if requested.
func (t *Table) Feed(id string, data []byte, closes bool) *Fault {
	found, failure := t.find(id)
	if failure != nil {
		return failure
	}
	_ = found.stdin.SetWriteDeadline(time.Now().Add(stdinTime))
	if _, err := found.stdin.Write(data); err != nil {
		return fault("input_closed", "the process does not read its input: "+err.Error())
	}
	if closes {
		_ = found.stdin.Close()
	}
	return nil
}
