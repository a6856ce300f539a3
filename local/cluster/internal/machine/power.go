package machine

import (
	"fmt"
	"path/filepath"

	"hamlet.village/cluster/internal/spec"
)

// CutNode disconnects a node from the network. Neither side is notified: a process that dies afterwards cannot close a
// connection.
func CutNode(n spec.Node) error { return ip("link set " + n.Veth + " down") }

// JoinNode connects a node to the network again; idempotent.
func JoinNode(n spec.Node) error { return ip("link set " + n.Veth + " up") }

// KillNode sends SIGKILL to every process of a node's pods and components. The caller must first stop the programs that
// would restart them.
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

// nodeCgroups lists the cgroups of a node's processes: those of its pods in every hierarchy, and those in which its
// components started.
func nodeCgroups(s spec.Spec, n spec.Node) ([]string, error) {
	tracking, err := TrackingCgroup(s)
	if err != nil {
		return nil, err
	}
	folders, err := filepath.Glob(filepath.Join(tracking, "*-"+n.Name))
	if err != nil {
		return nil, err
	}
	return append(folders, inHierarchies(NodeCgroup(n))...), nil
}
