// Package announce is the conversation between the CNI plugin and the network
// policy agent. It is apart from the agent so that the plugin stays small.
package announce

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// Time bounds the conversation about one pod.
const Time = 5 * time.Second

// Announcement is what the CNI plugin says of a pod whose network it has just made.
// The uid tells it from an earlier pod of the same name.
type Announcement struct {
	UID       string `json:"uid"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	IP        string `json:"ip"`
}

// Send tells a node's agent of a new pod and returns once the pod's rules are
// in place. Without it a pod would run for a moment with no rules at all.
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
