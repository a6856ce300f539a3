package machine

import (
	"fmt"
	"os"
	"path/filepath"

	"hamlet.village/cluster/internal/spec"
)

// CutNode takes a node off the network. Neither side learns of it: a process that
// dies afterwards can end no connection.
func CutNode(n spec.Node) error { return ip("link set " + n.Veth + " down") }

// JoinNode puts a node back on the network; one that is on it stays.
func JoinNode(n spec.Node) error { return ip("link set " + n.Veth + " up") }

// KillNode kills every process of a node's pods and components, with SIGKILL. The
// caller has stopped whatever would start them again.
func KillNode(s spec.Spec, n spec.Node) error {
	folders, err := nodeCgroups(s, n)
	if err != nil {
		return err
	}
	if err := killUntilGone(func() []string { return folders }); err != nil {
		return fmt.Errorf("node %s: %w", n.Name, err)
	}
	return nil
}

// nodeCgroups lists the cgroups that hold a node's processes: those of its pods in
// every hierarchy, and those that its components were born into.
func nodeCgroups(s spec.Spec, n spec.Node) ([]string, error) {
	tracking, err := TrackingCgroup(s)
	if err != nil {
		return nil, err
	}
	folders, err := filepath.Glob(filepath.Join(tracking, "*-"+n.Name))
	if err != nil {
		return nil, err
	}
	for _, m := range mountTable() {
		if m.kind != "cgroup" && m.kind != "cgroup2" {
			continue
		}
		folder := filepath.Join(m.point, NodeCgroup(n))
		if _, err := os.Stat(folder); err == nil {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}
