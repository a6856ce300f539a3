package netpol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Table is the nftables table that the agent owns.
const Table = "hamlet_netpol"

// Render writes a plan as an nft script that replaces the whole table at once, so that no packet passes between two
// versions.
//
// A packet first passes the rules of its sender, then those of its receiver. Both come after kube-proxy has translated
// Services to pods. The hook "input" sees packets from pods to their own node; "forward" sees all others. Packets from
// the node to its pods always pass, because the kubelet's probes need that.
func Render(p Plan) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("add table ip %s", Table)
	line("delete table ip %s", Table)
	line("table ip %s {", Table)
	writeVerdicts(line, "egress-pods", "out", p.Egress)
	writeVerdicts(line, "ingress-pods", "in", p.Ingress)
	line("chain receiver {")
	line("ip daddr vmap @ingress-pods")
	line("accept")
	line("}")
	for _, c := range p.Chains {
		writeChain(line, c)
	}
	writePodChains(line, "out", p.Egress)
	writePodChains(line, "in", p.Ingress)
	for _, hook := range []string{"forward", "input"} {
		line("chain %s {", hook)
		// Priority 10 runs after kube-proxy's own filter chains, which have priority 0.
		line("type filter hook %s priority 10; policy accept;", hook)
		line("ct state established,related accept")
		line("ip saddr vmap @egress-pods")
		line("goto receiver")
		line("}")
	}
	line("}")
	return b.String()
}

type writer func(format string, args ...any)

func sortedKeys(m map[string][]string) []string {
	return slices.Sorted(maps.Keys(m))
}

// podChain names the chain of the pods that are subject to the same policies: a thousand agents under one policy share
// one chain.
func podChain(prefix string, chains []string) string {
	sum := sha256.Sum256([]byte(strings.Join(chains, ",")))
	return prefix + "-" + hex.EncodeToString(sum[:8])
}

func writeVerdicts(line writer, name, prefix string, pods map[string][]string) {
	line("map %s {", name)
	line("type ipv4_addr : verdict")
	if len(pods) > 0 {
		var elements []string
		for _, ip := range sortedKeys(pods) {
			elements = append(elements, fmt.Sprintf("%s : goto %s", ip, podChain(prefix, pods[ip])))
		}
		line("elements = { %s }", strings.Join(elements, ", "))
	}
	line("}")
}

func writePodChains(line writer, prefix string, pods map[string][]string) {
	written := map[string]bool{}
	for _, ip := range sortedKeys(pods) {
		name := podChain(prefix, pods[ip])
		if written[name] {
			continue
		}
		written[name] = true
		line("chain %s {", name)
		for _, chain := range pods[ip] {
			line("jump %s", chain)
		}
		// Packets are rejected instead of dropped, so that a program fails at once.
		line("meta l4proto tcp reject with tcp reset")
		line("reject with icmp admin-prohibited")
		line("}")
	}
}

func writeChain(line writer, c Chain) {
	side, verdict := "daddr", "goto receiver"
	if c.Ingress {
		side, verdict = "saddr", "accept"
	}
	line("chain %s {", c.Name)
	for _, r := range c.Rules {
		for _, peers := range peerMatches(side, r.Peers) {
			var parts []string
			if len(r.Pods) > 0 {
				parts = append(parts, "ip daddr { "+strings.Join(r.Pods, ", ")+" }")
			}
			parts = append(parts, peers, portMatch(r.Port), verdict)
			line("%s", strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "))
		}
	}
	line("}")
}

func peerMatches(side string, p Peers) []string {
	if p.Any {
		return []string{""}
	}
	var found []string
	if len(p.IPs) > 0 {
		found = append(found, fmt.Sprintf("ip %s { %s }", side, strings.Join(p.IPs, ", ")))
	}
	for _, b := range p.Blocks {
		match := fmt.Sprintf("ip %s %s", side, b.CIDR)
		for _, except := range b.Except {
			match += fmt.Sprintf(" ip %s != %s", side, except)
		}
		found = append(found, match)
	}
	return found
}

func portMatch(p *Port) string {
	if p == nil {
		return ""
	}
	name := map[corev1.Protocol]string{corev1.ProtocolTCP: "tcp", corev1.ProtocolUDP: "udp", corev1.ProtocolSCTP: "sctp"}[p.Protocol]
	switch {
	case p.First == 0:
		return "meta l4proto " + name
	case p.First == p.Last:
		return fmt.Sprintf("%s dport %d", name, p.First)
	}
	return fmt.Sprintf("%s dport %d-%d", name, p.First, p.Last)
}
