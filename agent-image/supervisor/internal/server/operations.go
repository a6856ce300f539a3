package server

import (
	"bytes"
	"encoding/json"
	"time"

	"hamlet.village/hands/internal/files"
	"hamlet.village/hands/internal/process"
)

const (
	maxWait  = 60 * time.Second
	maxGrace = 30 * time.Second
	// maxReadBytes fit into a message as base64.
	maxReadBytes = 512 << 10
)

type operation func(s *Server, args json.RawMessage) (any, *process.Fault)

var operations = map[string]operation{
	"exec": take(func(s *Server, spec process.Spec) (any, *process.Fault) { return wrap(s.table.Start(spec)) }),
	"wait": take(func(s *Server, a waitArgs) (any, *process.Fault) {
		return wrap(s.table.Wait(a.Process, between(a.TimeoutMs, maxWait)))
	}),
	"read": take(func(s *Server, a readArgs) (any, *process.Fault) {
		at := process.Range{Offset: a.Offset, Bytes: max(0, min(a.Bytes, maxReadBytes)), Wait: between(a.WaitMs, maxWait)}
		return wrap(s.table.Follow(a.Process, a.Stream, at))
	}),
	"stdin": take(func(s *Server, a stdinArgs) (any, *process.Fault) {
		return nothing(s.table.Feed(a.Process, a.Data, a.Close))
	}),
	"signal": take(func(s *Server, a signalArgs) (any, *process.Fault) {
		signal, known := process.SignalNamed(a.Signal)
		if !known {
			return nil, &process.Fault{Code: "invalid", Message: "signal must be a name such as TERM, KILL or INT"}
		}
		return nothing(s.table.Signal(a.Process, signal))
	}),
	"kill": take(func(s *Server, a killArgs) (any, *process.Fault) {
		return wrap(s.table.Kill(a.Process, between(a.GraceMs, maxGrace)))
	}),
	"list": take(func(s *Server, a ownerArgs) (any, *process.Fault) {
		return map[string]any{"processes": s.table.List(a.Owner)}, nil
	}),
	"forget":    take(func(s *Server, a processArgs) (any, *process.Fault) { return nothing(s.table.Forget(a.Process)) }),
	"fs.read":   take(func(_ *Server, a files.ReadArgs) (any, *process.Fault) { return wrap(files.Read(a)) }),
	"fs.stat":   take(func(_ *Server, a files.Place) (any, *process.Fault) { return wrap(files.Stat(a)) }),
	"fs.list":   take(func(_ *Server, a files.Place) (any, *process.Fault) { return wrap(files.List(a)) }),
	"fs.write":  take(func(_ *Server, a files.WriteArgs) (any, *process.Fault) { return wrap(files.Write(a)) }),
	"fs.make":   take(func(_ *Server, a files.Place) (any, *process.Fault) { return nothing(files.Make(a)) }),
	"fs.remove": take(func(_ *Server, a files.RemoveArgs) (any, *process.Fault) { return wrap(files.Remove(a)) }),
	"fs.rename": take(func(_ *Server, a files.RenameArgs) (any, *process.Fault) { return nothing(files.Rename(a)) }),
	"close": take(func(s *Server, a ownerArgs) (any, *process.Fault) {
		if a.Owner == "" {
			return nil, &process.Fault{Code: "invalid", Message: "close needs an owner"}
		}
		return map[string]int{"closed": s.table.CloseOwner(a.Owner)}, nil
	}),
}

func between(ms int64, most time.Duration) time.Duration {
	return min(most, time.Duration(max(0, min(ms, most.Milliseconds())))*time.Millisecond)
}

// take parses the arguments strictly: an unknown field would silently have no effect.
func take[A any](run func(s *Server, args A) (any, *process.Fault)) operation {
	return func(s *Server, raw json.RawMessage) (any, *process.Fault) {
		var args A
		if len(raw) > 0 {
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&args); err != nil {
				return nil, &process.Fault{Code: "invalid", Message: "args: " + err.Error()}
			}
		}
		return run(s, args)
	}
}

func wrap[T any](value T, fault *process.Fault) (any, *process.Fault) {
	if fault != nil {
		return nil, fault
	}
	return value, nil
}

func nothing(fault *process.Fault) (any, *process.Fault) {
	return wrap(struct{}{}, fault)
}
