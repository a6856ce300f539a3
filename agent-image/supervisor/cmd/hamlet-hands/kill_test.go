package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

func TestKillReachesEverything(t *testing.T) {
	c := startSupervisor(t).client()
	file := filepath.Join(t.TempDir(), "pid")
	// The grandchild leaves the session and ignores TERM.
	escape := fmt.Sprintf(`setsid sh -c 'trap "" TERM HUP; echo $$ >%s; exec sleep 600' >/dev/null 2>&1 & `, file)
	c.begin("a", "trap '' TERM; "+escape+" sleep 600", map[string]any{"owner": "run"})
	pid := pidIn(t, file)
	ended := must[record](c, "kill", map[string]any{"process": "a", "graceMs": 20})
	expect(t, "state", ended.State, "exited")
	expect(t, "cause", ended.Exit.Cause, "killed")
	until(t, "the escaped process ends", func() bool { return !isAlive(pid) })

	c.begin("c", "sleep 600", map[string]any{"owner": "run"})
	c.begin("other", "sleep 600", map[string]any{"owner": "another"})
	expect(t, "closed", must[struct{ Closed int }](c, "close", map[string]any{"owner": "run"}).Closed, 2)
	listed := must[struct{ Processes []record }](c, "list", map[string]any{})
	expect(t, "left", len(listed.Processes), 1)
	expect(t, "the other owner's process still runs", listed.Processes[0].State, "running")
}

func TestCloseEndsWhatAnEndedProcessLeft(t *testing.T) {
	c := startSupervisor(t).client()
	file := filepath.Join(t.TempDir(), "pid")
	ended := c.sh("a", fmt.Sprintf("setsid sh -c 'echo $$ >%s; exec sleep 600' >/dev/null 2>&1 &", file), map[string]any{"owner": "run"})
	expect(t, "code", *ended.Exit.Code, 0)
	pid := pidIn(t, file)
	expect(t, "it lives on", isAlive(pid), true)
	must[struct{}](c, "close", map[string]any{"owner": "run"})
	until(t, "the processes that it left behind end", func() bool { return !isAlive(pid) })
}

func TestKillReachesProcessesThatHideTheirMark(t *testing.T) {
	c := startSupervisor(t).client()
	bare, faked := filepath.Join(t.TempDir(), "bare"), filepath.Join(t.TempDir(), "faked")
	other := filepath.Join(t.TempDir(), "other")
	hide := func(variables, file string) string {
		return fmt.Sprintf(`(env %s setsid sh -c 'trap "" TERM; echo $$ >%s; while :; do sleep 600; done' >/dev/null 2>&1 &) ; `, variables, file)
	}
	c.begin("other", hide("", other)+"sleep 600", map[string]any{"owner": "another"})
	c.begin("a", hide("-i", bare)+hide("HAMLET_HANDS_PROCESS=made-up", faked)+"sleep 600", map[string]any{"owner": "run"})
	hidden := []int{pidIn(t, bare), pidIn(t, faked)}
	others := pidIn(t, other)
	must[struct{}](c, "close", map[string]any{"owner": "run"})
	until(t, "the hidden processes end", func() bool { return !isAlive(hidden[0]) && !isAlive(hidden[1]) })
	expect(t, "the process of another owner still runs", isAlive(others), true)
	expect(t, "an id can be used once", c.ask("exec", map[string]any{"process": "a", "argv": []string{"true"}}).Code, "forgotten")
	// The end of process 1 of a pod ends all others; the end of a test's supervisor does not.
	must[struct{}](c, "close", map[string]any{"owner": "another"})
	until(t, "the process of the other owner ends with it", func() bool { return !isAlive(others) })
}
