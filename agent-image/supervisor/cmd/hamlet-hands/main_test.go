package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hamlet.village/hands/internal/frame"
)

func itoa(n int) string { return strconv.Itoa(n) }

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestExec(t *testing.T) {
	c := startSupervisor(t).client()
	folder := t.TempDir()

	ran := c.sh("a", `echo "out $WORD"; echo err >&2; pwd; exit 3`, map[string]any{
		"env": map[string]string{"WORD": "hello"}, "cwd": folder, "owner": "run-1",
	})
	expect(t, "stdout", string(ran.Stdout.Head), "out hello\n"+folder+"\n")
	expect(t, "stderr", string(ran.Stderr.Head), "err\n")
	expect(t, "code", *ran.Exit.Code, 3)
	expect(t, "cause", ran.Exit.Cause, "exit")
	expect(t, "owner", ran.Owner, "run-1")

	again := c.begin("a", "echo never", nil)
	expect(t, "a second start of an id starts nothing", again.Existing, true)
	expect(t, "and has the first output", string(again.Stdout.Head), string(ran.Stdout.Head))

	merged := c.sh("b", "echo 1; echo 2 >&2; echo 3", map[string]any{"merge": true})
	expect(t, "merged", string(merged.Stdout.Head), "1\n2\n3\n")

	fed := c.sh("c", "cat", map[string]any{"stdin": []byte("from the caller")})
	expect(t, "stdin", string(fed.Stdout.Head), "from the caller")

	killed := c.sh("d", "kill -KILL $$", nil)
	expect(t, "signal", killed.Exit.Signal, "KILL")
	expect(t, "cause of a signal of its own", killed.Exit.Cause, "exit")

	c.begin("e", "read line; echo got $line", map[string]any{"openStdin": true})
	must[struct{}](c, "stdin", map[string]any{"process": "e", "data": []byte("later\n"), "close": true})
	expect(t, "later input", string(c.wait("e").Stdout.Head), "got later\n")
}

func TestProgramsThatCannotStart(t *testing.T) {
	c := startSupervisor(t).client()
	for id, args := range map[string]map[string]any{
		"missing":   {"argv": []string{"no-such-program"}},
		"no-folder": {"argv": []string{"true"}, "cwd": "/no/such/folder"},
		"directory": {"argv": []string{"/tmp"}},
	} {
		args["process"] = id
		answer := c.ask("exec", args)
		if answer.OK {
			ended := c.wait(id)
			if *ended.Exit.Code != 127 && *ended.Exit.Code != 126 || len(ended.Stderr.Head) == 0 {
				t.Errorf("%s ended with code %d, %q", id, *ended.Exit.Code, ended.Stderr.Head)
			}
		} else if answer.Code != "failed" || answer.Message == "" {
			t.Errorf("%s: %s %s", id, answer.Code, answer.Message)
		}
	}
	expect(t, "the supervisor continues", *c.sh("after", "exit 0", nil).Exit.Code, 0)
}

func TestOutputIsBounded(t *testing.T) {
	c := startSupervisor(t).client()
	const limit = 100_000
	ran := c.sh("a", "seq 1 100000", map[string]any{"limits": map[string]any{"outputBytes": limit}})
	expect(t, "all bytes are counted", ran.Stdout.Bytes, 588_895)
	expect(t, "the limit is kept", ran.Stdout.Kept, limit)
	expect(t, "head", string(ran.Stdout.Head[:4]), "1\n2\n")
	if !strings.HasSuffix(string(ran.Stdout.Tail), "99999\n100000\n") {
		t.Errorf("tail: %q", ran.Stdout.Tail[len(ran.Stdout.Tail)-20:])
	}
	info, err := os.Stat(ran.Stdout.File)
	if err != nil || info.Size() != limit {
		t.Errorf("the file has %v bytes, %v", info, err)
	}
	part := must[struct{ Data []byte }](c, "read", map[string]any{"process": "a", "stream": "stdout", "offset": 99_990, "bytes": 1000})
	expect(t, "a read ends with the kept bytes", len(part.Data), 10)

	short := c.sh("b", "seq 1 20000", nil)
	whole := string(short.Stdout.Head) + string(short.Stdout.Tail)
	expect(t, "head and tail meet the ends", strings.HasPrefix(whole, "1\n") && strings.HasSuffix(whole, "20000\n"), true)

	must[struct{}](c, "forget", map[string]any{"process": "a"})
	if _, err := os.Stat(ran.Stdout.File); !os.IsNotExist(err) {
		t.Errorf("the file of a forgotten process: %v", err)
	}
	expect(t, "a forgotten process", c.ask("wait", map[string]any{"process": "a"}).Code, "forgotten")
}

func TestTimeIsLimited(t *testing.T) {
	c := startSupervisor(t).client()
	slow := c.sh("slow", "sleep 600 & sleep 600", map[string]any{"limits": map[string]any{"timeoutMs": 50}})
	expect(t, "cause", slow.Exit.Cause, "timeout")
}

func TestOutputIsFollowed(t *testing.T) {
	c := startSupervisor(t).client()
	next := filepath.Join(t.TempDir(), "next")
	c.begin("f", fmt.Sprintf("printf one; while [ ! -e %s ]; do sleep 0.01; done; printf two", next), nil)
	type part struct {
		Data []byte
		More bool
	}
	follow := func(offset int) part {
		args := map[string]any{"process": "f", "stream": "stdout", "offset": offset, "bytes": 1000, "waitMs": 60_000}
		return must[part](c, "read", args)
	}
	first := follow(0)
	expect(t, "the first words come before the end", string(first.Data), "one")
	expect(t, "more may follow", first.More, true)
	if err := os.WriteFile(next, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, "a read waits for words", string(follow(3).Data), "two")
	last := follow(6)
	expect(t, "at the end there are none", len(last.Data), 0)
	expect(t, "and no more follow", last.More, false)

	c.sh("full", "head -c 100000 /dev/zero", map[string]any{"limits": map[string]any{"outputBytes": 1000}})
	full := must[part](c, "read", map[string]any{"process": "full", "stream": "stdout", "offset": 1000, "bytes": 10, "waitMs": 60_000})
	expect(t, "a full file has no more", full.More, false)
}

// pidIn reads a number that a script has written.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	pid := 0
	until(t, file, func() bool {
		text, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	})
	return pid
}

func TestOrphansAreReaped(t *testing.T) {
	s := startSupervisor(t)
	c := s.client()
	c.sh("a", "for i in 1 2 3 4 5 6 7 8; do setsid sh -c 'sleep 0.05' >/dev/null 2>&1 & done", nil)
	until(t, "no child is left", func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.command.Process.Pid, s.command.Process.Pid))
		return len(strings.Fields(string(children))) == 0
	})
}

func TestLostProcessesAreNamed(t *testing.T) {
	s := startSupervisor(t)
	c := s.client()
	c.sh("done", "true", nil)
	file := filepath.Join(t.TempDir(), "pid")
	c.begin("busy", fmt.Sprintf("echo $$ >%s; exec sleep 600", file), map[string]any{"owner": "run"})
	// In a container the kernel would end it together with process 1.
	lost := pidIn(t, file)
	t.Cleanup(func() { _ = syscall.Kill(lost, syscall.SIGKILL) })
	s.kill()
	s.start()
	hello := must[struct {
		Boots int
		Lost  []record
	}](s.dial(), "hello", map[string]int{"version": 1})
	expect(t, "boots", hello.Boots, 2)
	expect(t, "lost", len(hello.Lost), 1)
	expect(t, "which", hello.Lost[0].Process+" "+hello.Lost[0].Owner+" "+hello.Lost[0].Program, "busy run sh")
	unknown := s.client().ask("wait", map[string]any{"process": "busy"})
	expect(t, "it is unknown now", unknown.Code, "no_such_process")
	expect(t, "the restart is named", strings.Contains(unknown.Message, "when the machine started again"), true)
}

func TestTerm(t *testing.T) {
	s := startSupervisor(t)
	c := s.client()
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	c.begin("a", fmt.Sprintf("trap 'echo 1 >%s; exit' TERM; echo 1 >%s; while :; do sleep 0.01; done", file("said"), file("ready")), nil)
	pidIn(t, file("ready"))
	_ = s.command.Process.Signal(syscall.SIGTERM)
	pidIn(t, file("said"))
	if err := s.command.Wait(); err != nil {
		t.Errorf("after SIGTERM the supervisor ended with %v", err)
	}
}

func TestTooManyProcesses(t *testing.T) {
	c := startSupervisor(t).client()
	for i := range 32 {
		c.begin("p"+itoa(i), "exec sleep 600", map[string]any{"owner": "all"})
	}
	answer := c.ask("exec", map[string]any{"process": "more", "argv": []string{"true"}})
	expect(t, "code", answer.Code, "too_many")
	must[struct{}](c, "close", map[string]any{"owner": "all"})
	for i := range 140 {
		c.sh("e"+itoa(i), "true", nil)
	}
	expect(t, "kept", len(must[struct{ Processes []record }](c, "list", map[string]any{}).Processes), 128)
	expect(t, "the oldest made room", c.ask("wait", map[string]any{"process": "e0"}).Code, "forgotten")
}

func TestHostileArguments(t *testing.T) {
	c := startSupervisor(t).client()
	for what, ask := range map[string]struct {
		op   string
		args any
		code string
	}{
		"no argv":              {"exec", map[string]any{"process": "a"}, "invalid"},
		"an empty program":     {"exec", map[string]any{"process": "a", "argv": []string{""}}, "invalid"},
		"a NUL":                {"exec", map[string]any{"process": "a", "argv": []string{"a\x00b"}}, "invalid"},
		"an id that is a path": {"exec", map[string]any{"process": "../a", "argv": []string{"true"}}, "invalid"},
		"a long id":            {"exec", map[string]any{"process": strings.Repeat("a", 65), "argv": []string{"true"}}, "invalid"},
		"a name with =":        {"exec", map[string]any{"process": "a", "argv": []string{"true"}, "env": map[string]string{"A=B": ""}}, "invalid"},
		"many arguments":       {"exec", map[string]any{"process": "a", "argv": make([]string, 1_025)}, "invalid"},
		"a negative timeout":   {"exec", map[string]any{"process": "a", "argv": []string{"true"}, "limits": map[string]any{"timeoutMs": -1}}, "invalid"},
		"a huge output":        {"exec", map[string]any{"process": "a", "argv": []string{"true"}, "limits": map[string]any{"outputBytes": 1 << 40}}, "invalid"},
		"an unknown field":     {"exec", map[string]any{"process": "a", "argv": []string{"true"}, "user": 0}, "invalid"},
		"args of another type": {"exec", "true", "invalid"},
		"an unknown op":        {"reboot", map[string]any{}, "unknown_op"},
		"an unknown process":   {"kill", map[string]any{"process": "a"}, "no_such_process"},
		"an unknown signal":    {"signal", map[string]any{"process": "a", "signal": "SIGFOO"}, "invalid"},
		"no owner":             {"close", map[string]any{}, "invalid"},
	} {
		if answer := c.ask(ask.op, ask.args); answer.OK || answer.Code != ask.code || answer.Message == "" {
			t.Errorf("%s: %+v", what, answer)
		}
	}
	c.begin("run", "sleep 600", nil)
	expect(t, "forget a running one", c.ask("forget", map[string]any{"process": "run"}).Code, "running")
	expect(t, "stderr of merged", c.ask("read", map[string]any{"process": "run", "stream": "x"}).Code, "invalid")
}

func TestHostileFrames(t *testing.T) {
	s := startSupervisor(t)
	refusal := func(c *client) string {
		answer := c.receive()
		if answer.OK {
			t.Errorf("accepted: %s", answer.Data)
		}
		return answer.Code
	}
	isClosed := func(c *client) {
		t.Helper()
		if _, err := io.ReadAll(c.conn); err != nil {
			t.Errorf("the connection stays open: %v", err)
		}
	}
	long := s.dial()
	_, _ = long.conn.Write(binary.BigEndian.AppendUint32(nil, 1<<31))
	expect(t, "a long frame", refusal(long), "too_long")
	isClosed(long)

	first := s.dial()
	first.send(map[string]any{"id": 1, "op": "list"})
	expect(t, "no hello", refusal(first), "hello_first")
	isClosed(first)

	newer := s.dial()
	newer.send(map[string]any{"id": 1, "op": "hello", "args": map[string]int{"version": 99}})
	expect(t, "another version", refusal(newer), "version")

	c := s.client()
	for _, text := range []string{"", "{", "[]", `{"id":"x"}`, "\xff\xfe", strings.Repeat("[", 100_000)} {
		_, _ = c.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
		expect(t, fmt.Sprintf("the frame %.10q", text), refusal(c), "invalid")
	}
	cut := s.dial()
	_, _ = cut.conn.Write([]byte{0, 0, 1, 0, '{'})
	_ = cut.conn.Close()
	expect(t, "the same connection continues", *c.sh("a", "exit 4", nil).Exit.Code, 4)
}

func TestConnectionsAreLimited(t *testing.T) {
	s := startSupervisor(t)
	// The waiting connection may still occupy its place. A refused one may be closed before its hello is written.
	hello := map[string]any{"id": 1, "op": "hello", "args": map[string]int{"version": 1}}
	until(t, "the limit of connections", func() bool {
		conn := s.dial().conn
		_ = conn.SetDeadline(time.Now().Add(most))
		var answer reply
		return frame.Write(conn, hello) != nil || frame.Read(conn, &answer) != nil
	})
	if rest, err := io.ReadAll(s.dial().conn); len(rest) > 0 {
		t.Errorf("one connection more is answered: %q %v", rest, err)
	}
}

func TestRequestsOfOneConnectionRunTogether(t *testing.T) {
	c := startSupervisor(t).client()
	c.begin("a", "sleep 600", nil)
	c.send(map[string]any{"id": 100, "op": "wait", "args": map[string]any{"process": "a", "timeoutMs": 60_000}})
	c.send(map[string]any{"id": 101, "op": "kill", "args": map[string]any{"process": "a"}})
	seen := map[int64]string{}
	for range 2 {
		answer := c.receive()
		var r record
		_ = json.Unmarshal(answer.Data, &r)
		seen[answer.ID] = r.State
	}
	expect(t, "the wait", seen[100], "exited")
	expect(t, "the kill", seen[101], "exited")
}

func TestOwn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	folder, other := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(folder, "inner")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(folder, "a"), filepath.Join(inner, "b")} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		expect(t, "own", run([]string{"own", "1000", folder}), 0)
	}
	for path, want := range map[string]uint32{
		folder: 1000, filepath.Join(folder, "a"): 1000, inner: 1000, filepath.Join(inner, "b"): 1000,
		filepath.Join(folder, "link"): 1000, other: 0,
	} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, path, info.Sys().(*syscall.Stat_t).Uid, want)
	}
	expect(t, "a missing folder", run([]string{"own", "1000", filepath.Join(folder, "none")}), 1)
}
