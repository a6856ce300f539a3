package machine

import (
	"fmt"
	"net/netip"
	"os"
	"strings"

	"hamlet.village/cluster/internal/spec"
)

const forwarding = "/proc/sys/net/ipv4/ip_forward"

// outsideTable is the nftables table of a cluster's way out; its slot is in the name.
func outsideTable(s spec.Spec) string { return fmt.Sprintf("hamlet_outside_%d", s.Slot) }

// EnsureOutside gives the nodes a way out of the machine, or takes it from them; it is idempotent. Packets to hosts
// outside of the cluster leave under the address of the machine. The nodes apply policies before that.
func EnsureOutside(s spec.Spec) error {
	if len(s.Nodes) == 0 {
		return nil
	}
	if !s.Outside {
		return removeOutside(s)
	}
	for _, n := range s.Nodes {
		if err := ip(fmt.Sprintf("-n %s route replace default via %s", n.Unique, s.APIHost)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(forwarding, []byte("1"), 0o644); err != nil {
		return err
	}
	_, err := run("nft", outsideRules(s))
	return err
}

// outsideRules replaces the table as a whole. The first line creates a missing table, so that the deletion succeeds.
func outsideRules(s spec.Spec) string {
	own := strings.Join([]string{s.PodCIDR, s.ServiceCIDR, fmt.Sprintf("10.89.%d.0/24", s.Slot)}, ", ")
	table := outsideTable(s)
	return fmt.Sprintf(`table ip %[1]s
delete table ip %[1]s
table ip %[1]s {
  chain out {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr { %[2]s } ip daddr != { %[2]s } masquerade
  }
}`, table, own)
}

func removeOutside(s spec.Spec) error {
	for _, n := range s.Nodes {
		_ = ip(fmt.Sprintf("-n %s route del default", n.Unique)) // absent in a new node
	}
	return removeOutsideTable(s)
}

func removeOutsideTable(s spec.Spec) error {
	table := outsideTable(s)
	_, err := run("nft", fmt.Sprintf("table ip %[1]s\ndelete table ip %[1]s", table))
	return err
}

// Resolvers lists the DNS servers of the machine that pods can reach. A server on loopback, such as that of
// systemd-resolved, answers only this machine, so Resolvers then reads the servers that systemd-resolved itself uses.
func Resolvers() ([]string, error) {
	for _, file := range []string{"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if found := resolversIn(string(raw)); len(found) > 0 {
			return found, nil
		}
	}
	return nil, fmt.Errorf("pods can reach no DNS server of this machine: add a nameserver other than loopback to /etc/resolv.conf, or use --outside off")
}

// maxResolvers is the limit of CoreDNS's plugin forward.
const maxResolvers = 15

func resolversIn(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" || len(found) == maxResolvers {
			continue
		}
		if address, err := netip.ParseAddr(fields[1]); err == nil && !address.IsLoopback() && address.Is4() {
			found = append(found, address.String())
		}
	}
	return found
}
