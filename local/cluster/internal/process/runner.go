package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"hamlet.village/cluster/internal/spec"
)

const (
	firstPause = 100 * time.Millisecond
	longPause  = time.Second
	// A program that ran for this long was healthy, so its back-off starts over.
	healthyAfter = 10 * time.Second
	maxLogBytes  = 50 << 20
)

// Runner keeps components alive. Each child starts in a separate cgroup, so that the runner can find all its
// descendants without their names.
type Runner struct {
	pidFolder string
	logFolder string
	cgroup    func(id string) (*os.File, error)

	mu    sync.Mutex
	tasks map[string]*task
}

type task struct {
	component Component
	status    Status
	process   *os.Process
	stopping  context.Context
	stop      context.CancelFunc
	done      chan struct{}
}

// NewRunner keeps records in pidFolder and logs in logFolder; cgroup opens the folder of a component's cgroup.
func NewRunner(pidFolder, logFolder string, cgroup func(id string) (*os.File, error)) *Runner {
	return &Runner{pidFolder: pidFolder, logFolder: logFolder, cgroup: cgroup, tasks: map[string]*task{}}
}

func (r *Runner) Start(c Component) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.tasks[c.ID()]; ok {
		return
	}
	t := &task{component: c, done: make(chan struct{}), status: Status{Name: c.Name, Node: c.Node}}
	t.stopping, t.stop = context.WithCancel(context.Background())
	r.tasks[c.ID()] = t
	go r.keepAlive(t)
}

func (r *Runner) keepAlive(t *task) {
	defer close(t.done)
	for pause := firstPause; t.stopping.Err() == nil; pause = min(2*pause, longPause) {
		began := time.Now()
		err := r.runOnce(t)
		if time.Since(began) > healthyAfter {
			pause = firstPause
		}
		r.noteExit(t, err)
		select {
		case <-time.After(pause):
		case <-t.stopping.Done():
		}
	}
}

func (r *Runner) noteExit(t *task, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.process = nil
	t.status.Pid = 0
	t.status.LastExit = "exit 0"
	if err != nil {
		t.status.LastExit = err.Error()
	}
	if t.stopping.Err() == nil {
		t.status.Restarts++
		fmt.Printf("%s %s ended: %s\n", time.Now().UTC().Format(time.RFC3339), t.component.ID(), t.status.LastExit)
	}
}

func (r *Runner) runOnce(t *task) error {
	id := t.component.ID()
	log, err := OpenLog(filepath.Join(r.logFolder, id+".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cgroup, err := r.cgroup(id)
	if err != nil {
		return err
	}
	defer func() { _ = cgroup.Close() }()
	cmd := exec.Command(t.component.Args[0], t.component.Args[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), t.component.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, UseCgroupFD: true, CgroupFD: int(cgroup.Fd())}
	if err := r.launch(t, cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// launch starts the command under the lock, so that a stop either prevents the start or finds the process.
func (r *Runner) launch(t *task, cmd *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := t.stopping.Err(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.process = cmd.Process
	t.status.Pid = cmd.Process.Pid
	t.status.StartedAt = time.Now().UTC()
	record, err := NewRecord(cmd.Process.Pid)
	if err != nil {
		return nil // it has ended already; Wait returns its exit
	}
	return spec.WriteJSON(filepath.Join(r.pidFolder, t.component.ID()+".json"), record)
}

// OpenLog opens a log to append to, and creates its folder.
func OpenLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}

// TrimLogs empties logs that are too long. Their writers append, so they can continue.
func (r *Runner) TrimLogs() {
	files, _ := filepath.Glob(filepath.Join(r.logFolder, "*.log"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Size() > maxLogBytes {
			_ = os.Truncate(file, 0)
		}
	}
}

// Signal sends a signal to a component, which the runner continues to supervise.
func (r *Runner) Signal(id string, signal syscall.Signal) (pid int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tasks[id]
	if !ok {
		return 0, fmt.Errorf("there is no component %q", id)
	}
	if t.process == nil {
		return 0, fmt.Errorf("component %q is not running", id)
	}
	return t.process.Pid, t.process.Signal(signal)
}

// Stop ends a component and forgets it: it sends SIGTERM, and SIGKILL after grace. Without a grace it sends only
// SIGKILL.
func (r *Runner) Stop(id string, grace time.Duration) {
	r.mu.Lock()
	t, ok := r.tasks[id]
	if ok {
		t.stop()
	}
	r.mu.Unlock()
	if !ok {
		return
	}
	if grace > 0 {
		_, _ = r.Signal(id, syscall.SIGTERM) // fails if the process has ended
	}
	select {
	case <-t.done:
	case <-time.After(grace):
		_, _ = r.Signal(id, syscall.SIGKILL)
		<-t.done
	}
	r.mu.Lock()
	delete(r.tasks, id)
	r.mu.Unlock()
	_ = os.Remove(filepath.Join(r.pidFolder, id+".json"))
}

// StopEach stops the components that match, at the same time, each with the given grace.
func (r *Runner) StopEach(grace time.Duration, match func(Status) bool) {
	var all sync.WaitGroup
	for _, s := range r.Status() {
		if match(s) {
			all.Go(func() { r.Stop(ID(s.Name, s.Node), grace) })
		}
	}
	all.Wait()
}

func (r *Runner) Status() []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Status, 0, len(r.tasks))
	for _, t := range r.tasks {
		list = append(list, t.status)
	}
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(ID(a.Name, a.Node), ID(b.Name, b.Node)) })
	return list
}
