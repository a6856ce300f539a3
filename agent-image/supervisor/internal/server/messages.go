package server

import (
	"encoding/json"

	"hamlet.village/hands/internal/process"
)

// Version of the protocol. A client states its version in the hello.
const Version = 1

type request struct {
	ID   int64           `json:"id"`
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args"`
}

// response answers the request of the same id. Exactly one of Data and Code is set.
type response struct {
	ID      int64  `json:"id"`
	OK      bool   `json:"ok"`
	Data    any    `json:"data,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

type helloArgs struct {
	Version int `json:"version"`
}

type Hello struct {
	Version int `json:"version"`
	// Boot differs after each start of the container.
	Boot string `json:"boot"`
	// Boots counts the starts of the container in its pod: more than 1 means that it ended and restarted.
	Boots int64 `json:"boots"`
	// Lost processes ran when the container last ended.
	Lost       []process.Lost `json:"lost"`
	MaxRunning int            `json:"maxRunning"`
	MaxKept    int            `json:"maxKept"`
}

type processArgs struct {
	Process string `json:"process"`
}

type ownerArgs struct {
	Owner string `json:"owner"`
}

type waitArgs struct {
	Process   string `json:"process"`
	TimeoutMs int64  `json:"timeoutMs"`
}

type readArgs struct {
	Process string `json:"process"`
	Stream  string `json:"stream"`
	Offset  int64  `json:"offset"`
	Bytes   int64  `json:"bytes"`
	// WaitMs is the wait for the first byte; at most 60 s.
	WaitMs int64 `json:"waitMs"`
}

type stdinArgs struct {
	Process string `json:"process"`
	Data    []byte `json:"data"`
	Close   bool   `json:"close"`
}

type signalArgs struct {
	Process string `json:"process"`
	Signal  string `json:"signal"`
}

type killArgs struct {
	Process string `json:"process"`
	GraceMs int64  `json:"graceMs"`
}
