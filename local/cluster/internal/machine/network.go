package machine

import (
	"errors"
	"fmt"
	"net"
	"os"

	"hamlet.village/cluster/internal/spec"
)

// ownsNetwork is a file in the state folder. It exists if this cluster owns the links of its slot.
const ownsNetwork = "network-is-ours"

// EnsureNetwork creates the bridge, each node's namespace and link, and all routes. It is idempotent, and creates the
// whole network of a node again if a part is missing.
func EnsureNetwork(s spec.Spec) error {
	if err := ensureBridge(s); err != nil {
		return err
	}
	for _, n := range s.Nodes {
		if err := ensureNodeNetwork(s, n); err != nil {
			return fmt.Errorf("network of %s: %w", n.Name, err)
		}
	}
	if err := EnsureOutside(s); err != nil {
		return fmt.Errorf("route out of the machine: %w", err)
	}
	// The machine reaches Services through the first node, whose kube-proxy translates and masquerades; nothing inside
	// the cluster depends on it.
	return ip(fmt.Sprintf("route replace %s via %s", s.ServiceCIDR, s.Nodes[0].IP))
}

func ensureBridge(s spec.Spec) error {
	_, missing := net.InterfaceByName(s.Bridge)
	_, foreign := os.Stat(s.Path(ownsNetwork))
	if missing == nil && foreign == nil {
		return nil
	}
	if missing == nil {
		return fmt.Errorf("another cluster uses address slot %d (the link %s exists): choose another --slot", s.Slot, s.Bridge)
	}
	// The file comes first: the link of an interrupted start must not look like another cluster's.
	if err := spec.WriteFile(s.Path(ownsNetwork), nil, 0o600); err != nil {
		return err
	}
	return ipAll(
		fmt.Sprintf("link add %s type bridge", s.Bridge),
		fmt.Sprintf("addr add %s/24 dev %s", s.APIHost, s.Bridge),
		fmt.Sprintf("link set %s up", s.Bridge),
	)
}

func ensureNodeNetwork(s spec.Spec, n spec.Node) error {
	_, nsErr := os.Stat(s.NetNamespace(n))
	_, vethErr := net.InterfaceByName(n.Veth)
	if nsErr == nil && vethErr == nil {
		return errors.Join(JoinNode(n), ip(fmt.Sprintf("route replace %s via %s", n.PodCIDR, n.IP)))
	}
	removeNodeNetwork(s, n)
	if err := ipAll(
		fmt.Sprintf("netns add %s", n.Unique),
		fmt.Sprintf("link add %s type veth peer name eth0 netns %s", n.Veth, n.Unique),
		fmt.Sprintf("link set %s master %s up", n.Veth, s.Bridge),
		fmt.Sprintf("-n %s link set lo up", n.Unique),
		fmt.Sprintf("-n %s addr add %s/24 dev eth0", n.Unique, n.IP),
		fmt.Sprintf("-n %s link set eth0 up", n.Unique),
		// A node has no default route: without --outside nothing, image pulls included, can leave the machine. Its programs
		// need a route for Services, because the kernel routes packets before kube-proxy translates them.
		fmt.Sprintf("-n %s route replace %s via %s", n.Unique, s.ServiceCIDR, s.APIHost),
		fmt.Sprintf("route replace %s via %s", n.PodCIDR, n.IP),
	); err != nil {
		return err
	}
	for _, other := range s.Nodes {
		if other.Name == n.Name {
			continue
		}
		if err := ip(fmt.Sprintf("-n %s route replace %s via %s", n.Unique, other.PodCIDR, other.IP)); err != nil {
			return err
		}
	}
	_, err := run("nsenter", "--net="+s.NetNamespace(n), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
	return err
}

// removeNodeNetwork removes the parts that exist; a missing part is not an error.
func removeNodeNetwork(s spec.Spec, n spec.Node) {
	if _, err := net.InterfaceByName(n.Veth); err == nil {
		_ = ip("link del " + n.Veth)
	}
	if _, err := os.Stat(s.NetNamespace(n)); err == nil {
		_ = ip("netns del " + n.Unique)
	}
}

// OwnsNetwork reports whether this cluster owns the links, namespaces and cgroups of the slot. If not, it must not
// touch them.
func OwnsNetwork(s spec.Spec) bool {
	_, err := os.Stat(s.Path(ownsNetwork))
	return err == nil
}

// RemoveNetwork removes everything that EnsureNetwork created. The routes disappear with the bridge.
func RemoveNetwork(s spec.Spec) error {
	if !OwnsNetwork(s) {
		return nil
	}
	defer func() { _ = os.Remove(s.Path(ownsNetwork)) }()
	_ = removeOutsideTable(s) // without nft there is no table
	for _, n := range s.Nodes {
		removeNodeNetwork(s, n)
	}
	if s.Bridge == "" {
		return nil
	}
	if _, err := net.InterfaceByName(s.Bridge); err != nil {
		return nil
	}
	return ip("link del " + s.Bridge)
}
