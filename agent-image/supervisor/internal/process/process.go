package process

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// killAfter is the time between asking a process to end and killing it, after its timeout.
	killAfter = 2 * time.Second
	// drainTime is the wait for the last output after a process has ended; its leftovers may still write.
	drainTime = 200 * time.Millisecond
	// programChars is the maximum length of a program's name in records.
	programChars = 128
)

// The table's lock guards the fields of a process.
type process struct {
	spec    Spec
	pid     int
	started time.Time
	ended   time.Time
	exit    *Exit
	// cause is set before the supervisor ends the process.
	cause    Cause
	oomsThen int64
	stdin    *os.File
	stdout   *spool
	stderr   *spool
	timer    *time.Timer
	over     chan struct{}
	// note explains the end, or an earlier measure of the supervisor against the programs.
	note string
}

type pipes struct {
	theirs []*os.File
	ours   []*os.File
}

func (p *pipes) close(files []*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}

// begin starts a process. The caller holds the table's lock, so that Reap finds the pid of a process that ends at once.
func (t *Table) begin(spec Spec) (*process, *Fault) {
	p := &process{spec: spec, started: time.Now(), oomsThen: oomKills(), over: make(chan struct{})}
	t.openSpools(p)
	ends, err := openPipes(spec.Merge)
	if err != nil {
		return nil, fault("failed", err.Error())
	}
	pid, err := t.fork(spec, ends.theirs)
	ends.close(ends.theirs)
	if err != nil {
		ends.close(ends.ours)
		return nil, fault("failed", "the process cannot start: "+err.Error())
	}
	p.pid = pid
	p.stdin = ends.ours[0]
	go p.stdout.fill(ends.ours[1])
	if p.stderr != nil {
		go p.stderr.fill(ends.ours[2])
	}
	go p.feed(spec.Stdin, !spec.OpenStdin)
	p.spec.Stdin = nil
	p.timer = time.AfterFunc(spec.Limits.timeout(), func() { t.stop(p, ByTimeout, killAfter) })
	return p, nil
}

func (t *Table) openSpools(p *process) {
	path := func(stream string) string { return filepath.Join(t.folder, p.spec.Process+"."+stream) }
	p.stdout = newSpool(path("stdout"), p.spec.Limits.spool())
	if !p.spec.Merge {
		p.stderr = newSpool(path("stderr"), p.spec.Limits.spool())
	}
}

func openPipes(merge bool) (*pipes, error) {
	ends := &pipes{}
	for stream := range 3 {
		if stream == 2 && merge {
			break
		}
		r, w, err := os.Pipe()
		if err != nil {
			ends.close(append(ends.theirs, ends.ours...))
			return nil, err
		}
		if stream == 0 {
			r, w = w, r
		}
		ends.ours, ends.theirs = append(ends.ours, r), append(ends.theirs, w)
	}
	return ends, nil
}

// environment begins with the mark, where markOf looks for it.
func environment(spec Spec) []string {
	variables := []string{Mark + "=" + spec.Process}
	for _, inherited := range os.Environ() {
		name, _, _ := strings.Cut(inherited, "=")
		if _, replaced := spec.Env[name]; !replaced && name != Mark {
			variables = append(variables, inherited)
		}
	}
	for name, value := range spec.Env {
		if name != Mark {
			variables = append(variables, name+"="+value)
		}
	}
	return variables
}

func (p *process) feed(data []byte, closes bool) {
	_, _ = p.stdin.Write(data)
	if closes {
		_ = p.stdin.Close()
	}
}

func (p *process) hasEnded() bool { return p.exit != nil }

func (p *process) end(status syscall.WaitStatus) {
	p.timer.Stop()
	_ = p.stdin.Close()
	p.ended = time.Now()
	p.exit = &Exit{Cause: p.cause}
	if status.Signaled() {
		p.exit.Signal = signalName(status.Signal())
	} else {
		code := status.ExitStatus()
		p.exit.Code = &code
	}
	if p.exit.Cause == "" {
		p.exit.Cause = ByItself
		if status.Signaled() && status.Signal() == syscall.SIGKILL && oomKills() > p.oomsThen {
			p.exit.Cause = ByMemory
		}
	}
	close(p.over)
}

// drain waits a moment for output that was written before the end.
func (p *process) drain() {
	late := time.After(drainTime)
	for _, each := range []*spool{p.stdout, p.stderr} {
		if each == nil {
			continue
		}
		select {
		case <-each.done:
		case <-late:
			return
		}
	}
}

func (p *process) discard() {
	for _, each := range []*spool{p.stdout, p.stderr} {
		if each != nil {
			each.discard()
		}
	}
}

func programName(spec Spec) string {
	name := strings.ToValidUTF8(spec.Argv[0], "?")
	return name[:min(len(name), programChars)]
}

func (p *process) record() Record {
	record := Record{
		Process: p.spec.Process, Owner: p.spec.Owner, Program: programName(p.spec),
		State: Running, StartedMs: p.started.UnixMilli(), Exit: p.exit,
	}
	if p.hasEnded() {
		record.State, record.EndedMs = Exited, p.ended.UnixMilli()
		record.Exit = &Exit{Code: p.exit.Code, Signal: p.exit.Signal, Cause: p.exit.Cause, Note: p.note}
	}
	stdout := p.stdout.describe()
	record.Stdout = &stdout
	if p.stderr != nil {
		stderr := p.stderr.describe()
		record.Stderr = &stderr
	}
	return record
}
