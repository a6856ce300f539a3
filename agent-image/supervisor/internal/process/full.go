package process

import "sync"

// IsIdle is true if no program runs. The channel gets a value when one starts.
func (t *Table) IsIdle() (bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byPid) == 0, t.started
}

// noteStart wakes the watch of the disk.
func (t *Table) noteStart() {
	select {
	case t.started <- struct{}{}:
	default:
	}
}

// EndAll ends all running programs with everything that they started, because the disk is full. Their records get the note, and
// so does the record of the next program that ends by itself: the program that filled the disk may have ended earlier.
func (t *Table) EndAll(note string) {
	t.mu.Lock()
	ending := []*process{}
	for _, each := range t.byID {
		if !each.hasEnded() && each.cause == "" {
			each.cause, each.note = ByDisk, note
			ending = append(ending, each)
		}
	}
	t.notice = note
	t.mu.Unlock()
	var waiting sync.WaitGroup
	for _, each := range ending {
		waiting.Go(func() {
			t.stop(each, ByDisk, 0)
			// A program that is stuck in the kernel must not stop the watch.
			_, _ = t.Wait(each.spec.Process, reapTime)
		})
	}
	waiting.Wait()
	t.killLeft(everyProcess)
}
