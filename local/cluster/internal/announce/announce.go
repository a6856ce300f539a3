// Package announce is the protocol between the CNI plugin and the network policy agent. It is separate from the agent
// so that the plugin stays small.
package announce

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// Time is the timeout of the exchange about one pod.
const Time = 5 * time.Second

// Announcement describes a pod whose network the CNI plugin has just made. The uid distinguishes it from an earlier pod
// of the same name.
type Announcement struct {
	UID       string `json:"uid"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	IP        string `json:"ip"`
}

// Send announces a new pod to a node's agent and returns when the pod's rules are in place. Without the announcement a
// pod would run for a moment without rules.
func Send(socket string, said Announcement) error {
	conn, err := net.DialTimeout("unix", socket, Time)
	if err != nil {
		return fmt.Errorf("the network policy agent does not listen: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(Time)); err != nil {
		return err
	}
	if err := json.NewEncoder(conn).Encode(said); err != nil {
		return err
	}
	var problem string
	if err := json.NewDecoder(conn).Decode(&problem); err != nil {
		return fmt.Errorf("the network policy agent's answer: %w", err)
	}
	if problem != "" {
		return errors.New(problem)
	}
	return nil
}
