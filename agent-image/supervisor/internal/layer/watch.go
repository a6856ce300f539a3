package layer

import (
	"log"
	"syscall"
	"time"
)

const (
	// lookEvery is the time between two checks of the free space while programs run: one system call.
	lookEvery = 250 * time.Millisecond
	// idleEvery is the time between two checks while no program runs; leftovers of an ended program may still write.
	idleEvery = 5 * time.Second
	// restFactor limits counts to 5 % of the time.
	restFactor = 19
)

type Programs interface {
	// IsIdle is true if no program runs; the channel then gets a value when one starts.
	IsIdle() (bool, <-chan struct{})
	// EndAll ends all programs, and passes the note to their callers.
	EndAll(note string)
}

// threshold is the use of the layer at which programs are ended: 80 % of the kubelet's limit. Above it they are ended again after
// each further step of growth, so that an agent can clean up.
type threshold struct{ limit, end, step, next int64 }

func thresholdOf(limit int64) threshold {
	end := limit / 10 * 8
	return threshold{limit: limit, end: end, step: max(1, limit/32), next: end}
}

func (t *threshold) isPassed(used int64) bool {
	if used >= t.next {
		return true
	}
	t.next = min(t.next, max(t.end, used+t.step))
	return false
}

// raise sets the next threshold a step above the use, but a step below the limit: above that, every growth ends the programs.
func (t *threshold) raise(used int64) {
	t.next = max(t.end, min(used+t.step, t.limit-t.step))
}

// Watch checks the free space of the disk, and counts the layer when the space has changed by a step. Other users of the disk may
// compensate the growth of the layer, so both directions of change add up. It never returns.
func (l *Layer) Watch(limit int64, programs Programs) {
	mark, free, moved := thresholdOf(limit), l.free, int64(0)
	var rest time.Time
	for {
		pause(programs)
		var system syscall.Statfs_t
		if syscall.Statfs(l.root, &system) != nil {
			continue
		}
		now := roomOf(&system)
		moved, free = moved+max(free-now, now-free), now
		if moved < mark.step || time.Now().Before(rest) {
			continue
		}
		began := time.Now()
		moved = 0
		if usage := l.Count(); mark.isPassed(usage.Bytes) {
			programs.EndAll(words(usage, limit))
			log.Printf(`{"level":"warn","message":"the disk of the hands was full, and their programs were ended","bytes":%d}`, usage.Bytes)
			// The programs kept writing until they ended.
			mark.raise(l.Count().Bytes)
		}
		rest = time.Now().Add(restFactor * time.Since(began))
	}
}

// pause waits until the next check. An idle agent costs next to nothing.
func pause(programs Programs) {
	if isIdle, started := programs.IsIdle(); isIdle {
		select {
		case <-time.After(idleEvery):
			return
		case <-started:
		}
	}
	time.Sleep(lookEvery)
}
