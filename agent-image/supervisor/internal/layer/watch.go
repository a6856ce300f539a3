package layer

import (
	"log"
	"time"
)

const (
	// lookEvery is the time between two looks at the room of the disk while programs run: one system call.
	lookEvery = 250 * time.Millisecond
	// idleEvery is the time between two looks while none runs; what an ended one has left behind may write.
	idleEvery = 5 * time.Second
	// restFactor bounds the part of the time that counts take to 5 %.
	restFactor = 19
)

// Programs fill the layer.
type Programs interface {
	// IsIdle is true if none runs; the channel then gets a value when one starts.
	IsIdle() (bool, <-chan struct{})
	// EndAll ends all of them because the layer is full. After that it calls explain, whose words it gives to those who wait for them.
	EndAll(explain func() string)
}

// Watch looks at the room of the disk, and counts the layer when that has changed. It never returns.
func (l *Layer) Watch(limit int64, programs Programs) {
	marks := MarksOf(limit)
	state := State{Free: l.free, Next: marks.End}
	var rest time.Time
	for {
		pause(programs)
		free, err := l.Free()
		if err != nil {
			continue
		}
		var isDue bool
		if state, isDue = marks.Due(state, free); !isDue || time.Now().Before(rest) {
			continue
		}
		began := time.Now()
		state = l.look(marks, state, programs)
		rest = time.Now().Add(restFactor * time.Since(began))
	}
}

// pause waits for the time of the next look. An idle agent costs next to nothing.
func pause(programs Programs) {
	if isIdle, started := programs.IsIdle(); isIdle {
		timer := time.NewTimer(idleEvery)
		defer timer.Stop()
		select {
		case <-timer.C:
			return
		case <-started:
		}
	}
	time.Sleep(lookEvery)
}

// look counts, and does what the count asks for.
func (l *Layer) look(marks Marks, state State, programs Programs) State {
	usage := l.Count()
	state, act := marks.Decide(state, usage.Bytes)
	if !act.End {
		return state
	}
	programs.EndAll(func() string {
		// The programs have written on until their end.
		usage = l.Count()
		emptied := []File{}
		if act.EmptyTo > 0 || usage.Bytes >= marks.Empty {
			emptied = Empty(usage, marks.End)
		}
		log.Printf(`{"level":"warn","message":"the disk of the hands was full, and their programs were ended","bytes":%d,"emptied":%d}`, usage.Bytes, len(emptied))
		return words(usage, marks.Limit, emptied)
	})
	return marks.Acted(state, l.Count().Bytes)
}
