package process

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// explainTime is the longest wait for the words about an end.
const explainTime = 10 * time.Second

// IsIdle is true if no program runs. The channel gets a value when one starts.
func (t *Table) IsIdle() (bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byPid) == 0, t.started
}

// noteStart wakes the one who waits for a start.
func (t *Table) noteStart() {
	select {
	case t.started <- struct{}{}:
	default:
	}
}

// EndAll ends all running programs with everything that they started, because the disk is full. Then it calls explain; those who wait for the end of
// one of them get it with these words, and so does who waits for the next program: the one that was the reason may have ended before.
func (t *Table) EndAll(explain func() string) {
	t.mu.Lock()
	ending := []*process{}
	for _, each := range t.byID {
		if !each.hasEnded() && each.cause == "" {
			each.cause, each.explained = ByDisk, make(chan struct{})
			ending = append(ending, each)
		}
	}
	t.mu.Unlock()
	var waiting sync.WaitGroup
	for _, each := range ending {
		waiting.Go(func() {
			t.stop(each, ByDisk, 0)
			// A program that is stuck in the kernel must not stop the watch.
			timer := time.NewTimer(reapTime)
			defer timer.Stop()
			select {
			case <-each.over:
			case <-timer.C:
			}
		})
	}
	waiting.Wait()
	t.killAllLeft()
	note := explain()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notice = note
	for _, each := range ending {
		each.note = note
		close(each.explained)
	}
}

// untilExplained waits for the words about the end of a process, if there will be some.
func (t *Table) untilExplained(p *process) {
	t.mu.Lock()
	explained := p.explained
	t.mu.Unlock()
	if explained == nil {
		return
	}
	timer := time.NewTimer(explainTime)
	defer timer.Stop()
	select {
	case <-explained:
	case <-timer.C:
	}
}

// killAllLeft ends what ended programs have left behind, and spares those that began meanwhile.
func (t *Table) killAllLeft() {
	for range killRounds {
		t.mu.Lock()
		children, left := family(), []int{}
		var walk func(pid int)
		walk = func(pid int) {
			for _, child := range children[pid] {
				if t.byPid[child] == nil {
					left = append(left, child)
					walk(child)
				}
			}
		}
		walk(os.Getpid())
		t.mu.Unlock()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
