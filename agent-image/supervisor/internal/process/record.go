package process

type State string

const (
	Running State = "running"
	Exited  State = "exited"
)

// Cause says why a process ended.
type Cause string

const (
	// ByItself: it returned an exit code, or a signal that the supervisor did not send.
	ByItself  Cause = "exit"
	ByTimeout Cause = "timeout"
	// ByRequest: a caller ended it, or the supervisor ended.
	ByRequest Cause = "killed"
	// ByMemory: the kernel ended it, because the container had no memory left.
	ByMemory Cause = "oom"
	// ByDisk: the supervisor ended it, because the file system of the container was nearly full.
	ByDisk Cause = "full"
)

// Exit describes how a process ended. Exactly one of Code and Signal is set.
type Exit struct {
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
	Cause  Cause  `json:"cause"`
	// Note is the supervisor's text about the cause, or about its earlier measures against the programs.
	Note string `json:"note,omitempty"`
}

type Record struct {
	Process   string `json:"process"`
	Owner     string `json:"owner,omitempty"`
	Program   string `json:"program"`
	State     State  `json:"state"`
	StartedMs int64  `json:"startedMs"`
	EndedMs   int64  `json:"endedMs,omitempty"`
	Exit      *Exit  `json:"exit,omitempty"`
	// Existing means that the process already existed when its start was requested.
	Existing bool    `json:"existing,omitempty"`
	Stdout   *Output `json:"stdout,omitempty"`
	Stderr   *Output `json:"stderr,omitempty"`
}

// Lost is a process of an earlier start of the container, whose end no caller has seen.
type Lost struct {
	Process   string `json:"process"`
	Owner     string `json:"owner,omitempty"`
	Program   string `json:"program"`
	StartedMs int64  `json:"startedMs"`
}

// Fault is a refusal with a stable code.
type Fault struct {
	Code    string
	Message string
}

func (f *Fault) Error() string { return f.Message }

func fault(code, message string) *Fault { return &Fault{Code: code, Message: message} }
