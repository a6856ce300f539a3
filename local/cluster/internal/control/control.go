// Package control is the protocol between the commands and the supervisor in the background: HTTP over a socket in the
// state folder.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

type Phase string

const (
	Starting Phase = "starting"
	// Ready means that all steps are done; components may still restart.
	Ready Phase = "ready"
	// Failed means that a step failed; the steps have the error.
	Failed Phase = "failed"
)

type Step struct {
	Name    string  `json:"name"`
	Done    bool    `json:"done"`
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"`
}

type Forward struct {
	Listen string `json:"listen"`
	To     string `json:"to"`
}

type Status struct {
	Phase      Phase            `json:"phase"`
	Spec       spec.Spec        `json:"spec"`
	Supervisor int              `json:"supervisorPid"`
	Steps      []Step           `json:"steps"`
	Components []process.Status `json:"components"`
	Forwards   []Forward        `json:"forwards"`
}

type Kill struct {
	Component string `json:"component"`
	Node      string `json:"node"`
	Pid       int    `json:"pid"`
}

type Node struct {
	Name string `json:"name"`
}

// ErrNotRunning means that no supervisor listens in the state folder.
var ErrNotRunning = errors.New("the cluster is not up (run: hamlet-cluster up)")

func Socket(state string) string { return state + "/control.sock" }

// Listen opens the socket; it replaces the socket of a dead supervisor.
func Listen(state string) (net.Listener, error) {
	_ = os.Remove(Socket(state))
	return net.Listen("unix", Socket(state))
}

// Call sends a request to the supervisor; in and out are JSON values or nil.
func Call(state, method, path string, in, out any) error {
	body := &bytes.Buffer{}
	if in != nil {
		if err := json.NewEncoder(body).Encode(in); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, "http://supervisor"+path, body)
	if err != nil {
		return err
	}
	response, err := client(state).Do(request)
	if err != nil {
		if unanswered(err) {
			return ErrNotRunning
		}
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
		return errors.New(strings.TrimSpace(string(text)))
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("the supervisor's answer: %w", err)
	}
	return nil
}

// unanswered reports whether a call failed because no supervisor listens, or because the supervisor ended before it
// answered.
func unanswered(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial" ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func client(state string) *http.Client {
	const limit = time.Minute
	return &http.Client{Timeout: limit, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", Socket(state))
		},
	}}
}
