// Package cni is the last plugin in the setup of a pod's network. It changes nothing; it delays the pod until the
// network policy agent has the pod's rules in place.
package cni

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"
)

// config has the fields that this plugin reads from its configuration.
type config struct {
	CNIVersion string          `json:"cniVersion"`
	Socket     string          `json:"socket"`
	PrevResult json.RawMessage `json:"prevResult"`
}

type result struct {
	IPs []struct {
		Address string `json:"address"`
	} `json:"ips"`
}

// Main runs the plugin by the CNI specification: it reads command and arguments from the environment and the
// configuration from stdin, and writes the answer to stdout.
func Main(getenv func(string) string, in io.Reader, out io.Writer) int {
	if err := serve(getenv, in, out); err != nil {
		const tryAgainLater = 11
		_ = json.NewEncoder(out).Encode(map[string]any{"cniVersion": "1.0.0", "code": tryAgainLater, "msg": err.Error()})
		return 1
	}
	return 0
}

func serve(getenv func(string) string, in io.Reader, out io.Writer) error {
	switch command := getenv("CNI_COMMAND"); command {
	case "VERSION":
		return json.NewEncoder(out).Encode(map[string]any{
			"cniVersion": "1.0.0", "supportedVersions": []string{"0.4.0", "1.0.0", "1.1.0"},
		})
	case "DEL", "CHECK", "GC", "STATUS":
		return nil // the API server notifies the agent of a pod's end
	case "ADD":
	default:
		return fmt.Errorf("unknown CNI_COMMAND %q", command)
	}
	var c config
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return err
	}
	ip, err := address(c.PrevResult)
	if err != nil {
		return err
	}
	args := arguments(getenv("CNI_ARGS"))
	if err := Send(c.Socket, Announcement{
		UID: args["K8S_POD_UID"], Namespace: args["K8S_POD_NAMESPACE"], Name: args["K8S_POD_NAME"], IP: ip,
	}); err != nil {
		return err
	}
	_, err = out.Write(c.PrevResult)
	return err
}

func address(previous json.RawMessage) (string, error) {
	var r result
	if err := json.Unmarshal(previous, &r); err != nil {
		return "", fmt.Errorf("prevResult: %w", err)
	}
	if len(r.IPs) == 0 {
		return "", errors.New("prevResult has no address")
	}
	prefix, err := netip.ParsePrefix(r.IPs[0].Address)
	return prefix.Addr().String(), err
}

// arguments parses KEY=VALUE;KEY=VALUE.
func arguments(text string) map[string]string {
	found := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if key, value, ok := strings.Cut(part, "="); ok {
			found[key] = value
		}
	}
	return found
}

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
		return fmt.Errorf("read the network policy agent's answer: %w", err)
	}
	if problem != "" {
		return errors.New(problem)
	}
	return nil
}
