// Package server answers clients on a unix socket.
package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"log"
	"net"
	"os"
	"sync"
	"time"

	"hamlet.village/hands/internal/frame"
	"hamlet.village/hands/internal/process"
	"hamlet.village/hands/internal/state"
)

const (
	maxConnections = 64
	// maxAtOnce is the maximum number of concurrent requests of a connection; the server reads the next one once one has
	// ended.
	maxAtOnce = 16
	// helloTime is the timeout of a connection's hello.
	helloTime = 10 * time.Second
	writeTime = 10 * time.Second
)

type Server struct {
	table *process.Table
	boots *state.Boots
	boot  string
	seats chan struct{}
}

func New(table *process.Table, boots *state.Boots) *Server {
	return &Server{table: table, boots: boots, boot: rand.Text(), seats: make(chan struct{}, maxConnections)}
}

// Listen opens the socket for every user of the pod; it replaces the socket of an earlier start.
func Listen(path string) (net.Listener, error) {
	_ = os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	return listener, os.Chmod(path, 0o666)
}

func (s *Server) Serve(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			// The cause may be too many open files, until other connections close theirs.
			log.Printf("accept: %v", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		select {
		case s.seats <- struct{}{}:
			go func() {
				defer func() { <-s.seats }()
				s.talk(conn)
			}()
		default:
			_ = conn.Close()
		}
	}
}

// peer is one connection. It sends answers in the order in which they become ready.
type peer struct {
	conn    net.Conn
	writing sync.Mutex
}

func (p *peer) answer(r response) {
	p.writing.Lock()
	defer p.writing.Unlock()
	_ = p.conn.SetWriteDeadline(time.Now().Add(writeTime))
	err := frame.Write(p.conn, r)
	if errors.Is(err, frame.ErrTooLong) {
		err = frame.Write(p.conn, response{ID: r.ID, Code: "too_long", Message: err.Error()})
	}
	if err != nil {
		_ = p.conn.Close()
	}
}

func refusal(id int64, fault *process.Fault) response {
	return response{ID: id, Code: fault.Code, Message: fault.Message}
}

// talk serves one connection. An overlong frame ends it, because the start of the next frame is unknown.
func (s *Server) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	p := &peer{conn: conn}
	_ = conn.SetReadDeadline(time.Now().Add(helloTime))
	if !s.greet(p) {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	slots := make(chan struct{}, maxAtOnce)
	for {
		r, ok := next(p)
		if !ok {
			return
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			p.answer(s.run(r))
		}()
	}
}

func next(p *peer) (request, bool) {
	for {
		var r request
		err := frame.Read(p.conn, &r)
		var notJSON *frame.NotJSONError
		switch {
		case err == nil:
			return r, true
		case errors.As(err, &notJSON):
			p.answer(response{ID: r.ID, Code: "invalid", Message: err.Error()})
		case errors.Is(err, frame.ErrTooLong):
			p.answer(response{Code: "too_long", Message: err.Error()})
			return r, false
		default:
			return r, false
		}
	}
}

func (s *Server) greet(p *peer) bool {
	r, ok := next(p)
	if !ok {
		return false
	}
	var args helloArgs
	if r.Op != "hello" || json.Unmarshal(r.Args, &args) != nil {
		p.answer(response{ID: r.ID, Code: "hello_first", Message: "the first request must be hello with the version of the protocol"})
		return false
	}
	if args.Version != Version {
		p.answer(response{ID: r.ID, Code: "version", Message: "this supervisor speaks version 1 of the protocol"})
		return false
	}
	lost := s.boots.Lost
	if lost == nil {
		lost = []process.Lost{}
	}
	p.answer(response{ID: r.ID, OK: true, Data: Hello{
		Version: Version, Boot: s.boot, Boots: s.boots.Number, Lost: lost,
		MaxRunning: process.MaxRunning, MaxKept: process.MaxKept,
	}})
	return true
}

func (s *Server) run(r request) response {
	operate, known := operations[r.Op]
	if !known {
		return refusal(r.ID, &process.Fault{Code: "unknown_op", Message: "there is no such operation"})
	}
	data, fault := operate(s, r.Args)
	if fault != nil {
		return refusal(r.ID, fault)
	}
	return response{ID: r.ID, OK: true, Data: data}
}
