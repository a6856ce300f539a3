package layer

// Marks are the bytes of the layer at which something happens.
type Marks struct {
	// Limit is the use above which the kubelet evicts the pod.
	Limit int64
	// End is the use at which programs end first. A program may use more later, if it does not grow further.
	End int64
	// Empty is the use at which files are emptied too, down to End: the kubelet would evict the pod.
	Empty int64
	// Step is the growth that is worth a count, and that ends programs again above End.
	Step int64
}

// MarksOf a limit of the kubelet.
func MarksOf(limit int64) Marks {
	return Marks{Limit: limit, End: limit / 10 * 8, Empty: limit / 10 * 9, Step: max(1, limit/32)}
}

// State is what the watch remembers.
type State struct {
	// Free is the room of the disk at the last look.
	Free int64
	// Moved is by how much the room has changed since the last count, up and down: others make room while the layer grows.
	Moved int64
	// Next is the use at which programs end next.
	Next int64
}

// Act is what has to happen. EmptyTo is 0 if no file is emptied.
type Act struct {
	End     bool
	EmptyTo int64
}

// Due is true if the room of the disk has changed by a step in sum: the layer may have grown. Without a change nothing was written. Pure.
func (m Marks) Due(state State, free int64) (State, bool) {
	state.Moved += max(state.Free-free, free-state.Free)
	state.Free = free
	return state, state.Moved >= m.Step
}

// Decide after a count. Pure.
func (m Marks) Decide(state State, used int64) (State, Act) {
	state.Moved = 0
	if used < state.Next {
		// Once there is room again, a further step of growth ends programs again.
		state.Next = min(state.Next, m.after(used))
		return state, Act{}
	}
	act := Act{End: true}
	if used >= m.Empty {
		act.EmptyTo = m.End
	}
	return state, act
}

// Acted is the state after an act that left so much in the layer. Pure.
func (m Marks) Acted(state State, used int64) State {
	state.Next = m.after(used)
	return state
}

// after is the use at which programs end, if there is so much: files are emptied before the limit in any case.
func (m Marks) after(used int64) int64 {
	next := max(m.End, used+m.Step)
	if used < m.Empty {
		next = min(next, m.Empty)
	}
	return next
}
