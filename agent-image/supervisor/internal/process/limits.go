package process

import (
	"fmt"
	"time"
)

const (
	// MaxRunning is the maximum number of processes that run at the same time.
	MaxRunning = 32
	// MaxKept is the number of processes in the table, including ended ones. The oldest ended one is dropped for a new one.
	MaxKept     = 128
	maxIDChars  = 64
	maxArgs     = 1_024
	maxEnv      = 256
	MaxTimeout  = 24 * time.Hour
	defaultTime = 10 * time.Minute
	// MaxSpool is the maximum output that is stored of one stream of one process.
	MaxSpool     = 64 << 20
	defaultSpool = 16 << 20
	// maxTasks is the number of processes and threads of one user of the hands, above which a fork fails. The kubelet limits the
	// whole pod; this lower limit leaves some for the resident. The kernel does not count for root of the node, so it only applies
	// in a user namespace.
	maxTasks = 1_000
	// maxSpooled is the maximum stored output of all processes together.
	maxSpooled = 512 << 20
	HeadBytes  = 16 << 10
	TailBytes  = 16 << 10
)

// Limits of one process. Zero means the default.
type Limits struct {
	// TimeoutMs is the time after which the process and its group are ended; 10 min by default, at most 24 h.
	TimeoutMs int64 `json:"timeoutMs,omitempty"`
	// OutputBytes is the stored part of each stream, beyond which output is only counted; 16 MiB by default, at most 64 MiB.
	OutputBytes int64 `json:"outputBytes,omitempty"`
}

func (l Limits) timeout() time.Duration {
	if l.TimeoutMs == 0 {
		return defaultTime
	}
	return time.Duration(l.TimeoutMs) * time.Millisecond
}

func (l Limits) spool() int64 {
	if l.OutputBytes == 0 {
		return defaultSpool
	}
	return l.OutputBytes
}

func (l Limits) check() error {
	switch {
	case l.TimeoutMs < 0 || l.TimeoutMs > MaxTimeout.Milliseconds():
		return fmt.Errorf("limits.timeoutMs is %d: write 1 to %d", l.TimeoutMs, MaxTimeout.Milliseconds())
	case l.OutputBytes < 0 || l.OutputBytes > MaxSpool:
		return fmt.Errorf("limits.outputBytes is %d: write 1 to %d", l.OutputBytes, MaxSpool)
	}
	return nil
}
