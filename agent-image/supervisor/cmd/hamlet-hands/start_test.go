package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// run starts a program without a shell, and waits for its end.
func (c *client) run(id string, argv []string, more map[string]any) record {
	c.t.Helper()
	args := map[string]any{"process": id, "argv": argv}
	for name, value := range more {
		args[name] = value
	}
	must[record](c, "exec", args)
	return c.wait(id)
}

// limitOf returns the soft and the hard limit in the text of /proc/PID/limits.
func limitOf(t *testing.T, text, name string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.Join(strings.Fields(rest)[:2], " ")
		}
	}
	t.Fatalf("%q has no %s", text, name)
	return ""
}

func TestLimitsHoldFromTheFirstInstruction(t *testing.T) {
	c := startSupervisor(t).client()
	first := string(c.run("first", []string{"cat", "/proc/self/limits"}, nil).Stdout.Head)
	forked := string(c.run("forked", []string{"sh", "-c", "cat /proc/self/limits & wait"}, nil).Stdout.Head)
	for _, text := range []string{first, forked} {
		expect(t, "tasks", limitOf(t, text, "Max processes"), "1000 1000")
	}
	score := c.run("score", []string{"cat", "/proc/self/oom_score_adj"}, nil)
	expect(t, "a tool dies before the supervisor", string(score.Stdout.Head), "500\n")
}

func TestProgramsGetTheOpenFilesOfTheContainer(t *testing.T) {
	s := &supervisor{t: t, folder: t.TempDir(), output: filepath.Join(t.TempDir(), "out")}
	s.launch(exec.Command("sh", "-c", `ulimit -Sn 300; ulimit -Hn 4000; exec "$@"`, "sh", os.Args[0], "serve", "--folder", s.folder, "--output", s.output))
	t.Cleanup(s.end)
	text := string(s.client().run("a", []string{"cat", "/proc/self/limits"}, nil).Stdout.Head)
	expect(t, "open files", limitOf(t, text, "Max open files"), "300 4000")
}

func TestProgramsStartClean(t *testing.T) {
	c := startSupervisor(t).client()
	status := string(c.run("a", []string{"cat", "/proc/self/status"}, nil).Stdout.Head)
	if !strings.Contains(status, "SigBlk:\t0000000000000000\n") || !strings.Contains(status, "SigCgt:\t0000000000000000\n") {
		t.Errorf("signals are blocked or caught: %s", status)
	}
	inherited, err := exec.Command("ls", "/proc/self/fd").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := string(c.run("b", []string{"ls", "/proc/self/fd"}, nil).Stdout.Head)
	expect(t, "a program has no open file of the supervisor", files, string(inherited))
	ids := strings.Fields(string(c.run("c", []string{"sh", "-c", "cat /proc/$$/stat"}, nil).Stdout.Head))
	expect(t, "its own group", ids[4], ids[0])
	expect(t, "its own session", ids[5], ids[0])
}

func TestProgramsAreFound(t *testing.T) {
	c := startSupervisor(t).client()
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/tool", "#!/bin/sh\necho $0 in $PWD\n", 0o755)
	write("plain", "#!/bin/sh\n", 0o644)
	write("words", "echo no program\n", 0o755)
	write("strange", "#!/no/such/interpreter\n", 0o755)
	env := map[string]string{"PATH": "/no/such:bin:/usr/bin:/bin"}
	for id, want := range map[string]struct {
		argv string
		code int
		text string
	}{
		"in-the-path": {"tool", 0, "bin/tool in " + folder + "\n"},
		"by-a-path":   {"./bin/tool", 0, "./bin/tool in " + folder + "\n"},
		"absolute":    {folder + "/bin/tool", 0, folder + "/bin/tool in " + folder + "\n"},
		"missing":     {"no-such-program", 127, "no-such-program: not found\n"},
		"no-path":     {"./no/such", 127, "./no/such: not found\n"},
		"not-allowed": {"./plain", 126, "./plain: permission denied\n"},
		"a-folder":    {"./bin", 126, "./bin: permission denied\n"},
		"no-format":   {"./words", 126, "./words: exec format error\n"},
		"no-shebang":  {"./strange", 126, "./strange: no such file or directory\n"},
	} {
		ended := c.run(id, []string{want.argv}, map[string]any{"cwd": folder, "env": env})
		expect(t, id, fmt.Sprint(*ended.Exit.Code, " ", string(ended.Stdout.Head)+string(ended.Stderr.Head)), fmt.Sprint(want.code, " ", want.text))
	}
	gone := c.ask("exec", map[string]any{"process": "gone", "argv": []string{"true"}, "cwd": folder + "/plain"})
	expect(t, "a file is not a folder", gone.Code, "failed")
	long := c.run("long", []string{"true", strings.Repeat("x", 200_000)}, nil)
	expect(t, "a long argument", string(long.Stderr.Head), "true: argument list too long\n")
}

func TestManyStartsAndKills(t *testing.T) {
	s := startSupervisor(t)
	const clients, starts = 12, 42
	var all sync.WaitGroup
	for at := range clients {
		c := s.client()
		all.Go(func() {
			for start := range starts {
				id := fmt.Sprintf("p%d-%d", at, start)
				switch start % 3 {
				case 0:
					ended := c.run(id, []string{"sh", "-c", "echo done & wait"}, nil)
					if ended.Exit == nil || ended.Exit.Code == nil || *ended.Exit.Code != 0 || string(ended.Stdout.Head) != "done\n" {
						t.Errorf("%s: %+v", id, ended)
					}
				case 1:
					must[record](c, "exec", map[string]any{"process": id, "argv": []string{"sleep", "600"}})
					killed := must[record](c, "kill", map[string]any{"process": id, "graceMs": 0})
					if killed.Exit == nil || killed.Exit.Signal != "KILL" || killed.Exit.Cause != "killed" {
						t.Errorf("%s: %+v", id, killed)
					}
				case 2:
					must[record](c, "exec", map[string]any{"process": id, "argv": []string{"sleep", "600"}})
					must[struct{}](c, "signal", map[string]any{"process": id, "signal": "TERM"})
					if ended := c.wait(id); ended.Exit == nil || ended.Exit.Signal != "TERM" {
						t.Errorf("%s: %+v", id, ended)
					}
				}
			}
		})
	}
	all.Wait()
	pid := s.command.Process.Pid
	until(t, "no child is left, running or stopped", func() bool {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		left := ""
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			left += string(text)
		}
		return len(lists) > 0 && strings.TrimSpace(left) == ""
	})
}
