package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hamlet.village/hands/internal/frame"
)

// asProgram makes the test binary behave as hamlet-hands, so that each test has its own supervisor.
const asProgram = "HAMLET_HANDS_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// most is the cap of every wait; no test asserts a duration.
const most = 30 * time.Second

type supervisor struct {
	t       *testing.T
	folder  string
	output  string
	command *exec.Cmd
}

func startSupervisor(t *testing.T) *supervisor {
	s := &supervisor{t: t, folder: t.TempDir(), output: filepath.Join(t.TempDir(), "out")}
	s.start()
	t.Cleanup(s.end)
	return s
}

func (s *supervisor) start() {
	s.t.Helper()
	s.launch(exec.Command(os.Args[0], "serve", "--folder", s.folder, "--output", s.output))
}

func (s *supervisor) launch(command *exec.Cmd) {
	s.t.Helper()
	s.command = command
	s.command.Env = append(os.Environ(), asProgram+"=1")
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	until(s.t, "the socket", func() bool {
		conn, err := net.Dial("unix", s.socket())
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

func (s *supervisor) socket() string { return filepath.Join(s.folder, "hands.sock") }

// end lets the supervisor end its processes first: they would survive a killed supervisor, unless it is process 1 of a container.
func (s *supervisor) end() {
	if s.command.Process.Signal(syscall.SIGTERM) != nil {
		return
	}
	late := time.AfterFunc(most, func() { _ = s.command.Process.Kill() })
	_ = s.command.Wait()
	late.Stop()
}

// kill ends the supervisor as the kernel does when the container has no memory left.
func (s *supervisor) kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	_ = os.Remove(s.socket())
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s: not within %s", what, most)
}

func isAlive(pid int) bool {
	state, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
	return err == nil && syscall.Kill(pid, 0) == nil && !isZombie(state)
}

func isZombie(stat []byte) bool {
	for i := len(stat) - 1; i > 0; i-- {
		if stat[i] == ')' {
			return i+2 < len(stat) && stat[i+2] == 'Z'
		}
	}
	return false
}

type output struct {
	Bytes, Kept int64
	Head, Tail  []byte
	File        string
	Open        bool
}

type exit struct {
	Code          *int
	Signal, Cause string
	Note          string
}

type record struct {
	Process, Owner, Program, State string
	Exit                           *exit
	Existing                       bool
	Stdout, Stderr                 *output
}

type reply struct {
	ID            int64
	OK            bool
	Data          json.RawMessage
	Code, Message string
}

type client struct {
	t    *testing.T
	conn net.Conn
	last int64
}

// dial opens a connection without a hello.
func (s *supervisor) dial() *client {
	s.t.Helper()
	conn, err := net.Dial("unix", s.socket())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return &client{t: s.t, conn: conn}
}

func (s *supervisor) client() *client {
	s.t.Helper()
	c := s.dial()
	if answer := c.ask("hello", map[string]int{"version": 1}); !answer.OK {
		s.t.Fatalf("hello: %s %s", answer.Code, answer.Message)
	}
	return c
}

func (c *client) send(message any) {
	c.t.Helper()
	_ = c.conn.SetDeadline(time.Now().Add(most))
	if err := frame.Write(c.conn, message); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() reply {
	c.t.Helper()
	var answer reply
	if err := frame.Read(c.conn, &answer); err != nil {
		c.t.Fatal(err)
	}
	return answer
}

func (c *client) ask(op string, args any) reply {
	c.t.Helper()
	c.last++
	c.send(map[string]any{"id": c.last, "op": op, "args": args})
	answer := c.receive()
	if answer.ID != c.last {
		c.t.Fatalf("%s: answer to %d instead of %d: %s", op, answer.ID, c.last, answer.Message)
	}
	return answer
}

// must sends a request and parses the data of an answer that is not a refusal.
func must[T any](c *client, op string, args any) T {
	c.t.Helper()
	answer := c.ask(op, args)
	if !answer.OK {
		c.t.Fatalf("%s: %s %s", op, answer.Code, answer.Message)
	}
	var data T
	if err := json.Unmarshal(answer.Data, &data); err != nil {
		c.t.Fatal(err)
	}
	return data
}

// sh runs a script to its end.
func (c *client) sh(id, script string, more map[string]any) record {
	c.t.Helper()
	c.begin(id, script, more)
	return c.wait(id)
}

func (c *client) begin(id, script string, more map[string]any) record {
	c.t.Helper()
	args := map[string]any{"process": id, "argv": []string{"sh", "-c", script}}
	for name, value := range more {
		args[name] = value
	}
	return must[record](c, "exec", args)
}

func (c *client) wait(id string) record {
	c.t.Helper()
	return must[record](c, "wait", map[string]any{"process": id, "timeoutMs": most.Milliseconds()})
}
