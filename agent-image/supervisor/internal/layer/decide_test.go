package layer

import "testing"

const mib = 1 << 20

func TestMarks(t *testing.T) {
	marks := MarksOf(1_000 * mib)
	if marks.End != 800*mib || marks.Empty != 900*mib || marks.Step != 1_000*mib/32 {
		t.Errorf("marks: %+v", marks)
	}
	if tiny := MarksOf(3); tiny.Step < 1 {
		t.Errorf("a step of a tiny limit: %+v", tiny)
	}
}

func TestDue(t *testing.T) {
	marks, state := Marks{Step: 10}, State{Free: 100}
	for _, look := range []struct {
		free int64
		due  bool
	}{{100, false}, {95, false}, {96, false}, {92, true}, {92, false}, {101, false}, {100, true}} {
		var due bool
		if state, due = marks.Due(state, look.free); due != look.due {
			t.Errorf("room for %d: due %v", look.free, due)
		}
		if due {
			state, _ = marks.Decide(state, 0)
		}
	}
}

// used are the bytes of one count after the other; ends says at which programs end.
func TestDecide(t *testing.T) {
	marks := Marks{Limit: 1_000, End: 800, Empty: 900, Step: 30}
	for name, story := range map[string]struct {
		used, left []int64
		ends       []bool
		emptyTo    []int64
	}{
		"it fills slowly, then programs clean up": {
			used: []int64{300, 799, 805, 800, 750, 790}, left: []int64{0, 0, 805, 0, 0, 0}, ends: []bool{false, false, true, false, false, false},
		},
		"it grows on by a step above the mark": {
			used: []int64{805, 834, 835, 840}, left: []int64{805, 0, 835, 0}, ends: []bool{true, false, true, false},
		},
		"who made room has to stay below again": {
			used: []int64{870, 810, 839, 840}, left: []int64{870, 0, 0, 840}, ends: []bool{true, false, false, true},
		},
		"a jump above the limit is emptied": {
			used: []int64{1_500, 819, 820}, left: []int64{790, 0, 820}, ends: []bool{true, false, true}, emptyTo: []int64{800, 0, 0},
		},
		"files are emptied before the limit whatever was there": {
			used: []int64{880, 899, 900}, left: []int64{880, 0, 780}, ends: []bool{true, false, true}, emptyTo: []int64{0, 0, 800},
		},
		"nothing could be emptied: it ends programs at the next step, and lets them clean": {
			used: []int64{950, 979, 940, 980}, left: []int64{950, 0, 0, 980}, ends: []bool{true, false, false, true}, emptyTo: []int64{800, 0, 0, 800},
		},
	} {
		state := State{Next: marks.End}
		for at, used := range story.used {
			var act Act
			state, act = marks.Decide(state, used)
			if act.End != story.ends[at] {
				t.Errorf("%s: at %d of %v: ends %v", name, at, story.used, act.End)
			}
			if story.emptyTo != nil && act.EmptyTo != story.emptyTo[at] {
				t.Errorf("%s: at %d of %v: empties to %d", name, at, story.used, act.EmptyTo)
			}
			if act.End {
				state = marks.Acted(state, story.left[at])
			}
		}
	}
}
