package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// newRunner starts components in the cgroup in which the test runs.
func newRunner(t *testing.T) *Runner {
	t.Helper()
	root := ""
	for _, candidate := range []string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		if _, err := os.Stat(filepath.Join(candidate, "cgroup.procs")); err == nil {
			root = candidate
			break
		}
	}
	if root == "" || os.Getuid() != 0 {
		t.Skip("needs root and cgroup version 2")
	}
	folder := t.TempDir()
	r := NewRunner(filepath.Join(folder, "pids"), filepath.Join(folder, "logs"), func(string) (*os.File, error) {
		return os.Open(root)
	})
	t.Cleanup(func() { r.StopEach(0, func(Status) bool { return true }) })
	return r
}

func waitFor(t *testing.T, what string, check func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if check() {
			return
		}
	}
	t.Fatal("never: " + what)
}

func only(r *Runner) Status { return r.Status()[0] }

func TestAKilledComponentComesBack(t *testing.T) {
	r := newRunner(t)
	r.Start(Component{Name: "sleeper", Args: []string{"sleep", "1000"}})
	waitFor(t, "started", func() bool { return only(r).Pid != 0 })
	first := only(r).Pid
	killed, err := r.Signal("sleeper", syscall.SIGKILL)
	if err != nil || killed != first {
		t.Fatalf("killed %d, %v; want %d", killed, err, first)
	}
	waitFor(t, "back", func() bool { s := only(r); return s.Pid != 0 && s.Pid != first && s.Restarts == 1 })
	records := LoadRecords(r.pidFolder)
	if !records["sleeper"].Alive() || records["sleeper"].Pid != only(r).Pid {
		t.Fatalf("records %v do not name process %d", records, only(r).Pid)
	}
}

func TestAStoppedComponentStaysDown(t *testing.T) {
	r := newRunner(t)
	// The program ignores SIGTERM, so only the SIGKILL after the grace ends it.
	r.Start(Component{Name: "stubborn", Args: []string{"sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"}})
	waitFor(t, "started", func() bool { return only(r).Pid != 0 })
	record, err := NewRecord(only(r).Pid)
	if err != nil {
		t.Fatal(err)
	}
	r.Stop("stubborn", 100*time.Millisecond)
	if record.Alive() || len(r.Status()) != 0 || len(LoadRecords(r.pidFolder)) != 0 {
		t.Fatal("something is left of it")
	}
}

func TestAProgramThatCannotStartIsTriedAgain(t *testing.T) {
	r := newRunner(t)
	r.Start(Component{Name: "missing", Args: []string{"/no/such/program"}})
	waitFor(t, "tried twice", func() bool { return only(r).Restarts >= 2 })
	if s := only(r); s.Pid != 0 || s.LastExit == "" {
		t.Fatalf("status %+v", s)
	}
}

func TestARecordDetectsAReusedPID(t *testing.T) {
	record, err := NewRecord(os.Getpid())
	if err != nil || !record.Alive() {
		t.Fatalf("own record %+v, %v", record, err)
	}
	record.StartTick++
	if record.Alive() {
		t.Fatal("a process of the same number that started at another time is another process")
	}
}

func TestTheEndOfAProcessIsAwaited(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { AwaitEnd(context.Background(), cmd.Process.Pid); close(ended) }()
	select {
	case <-ended:
		t.Fatal("it lives")
	case <-time.After(100 * time.Millisecond):
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	<-ended
	AwaitEnd(context.Background(), cmd.Process.Pid) // nothing to wait for
	ctx, stop := context.WithCancel(context.Background())
	stop()
	AwaitEnd(ctx, os.Getpid())
}
