// Package netpol enforces NetworkPolicies on one node by nftables. MakePlan decides the rules as plain data; Render
// writes them as an nft script; Agent watches the cluster and applies them.
package netpol

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// MakePlan returns the rules of a node. It is pure. The order of the parts of the model does not change the plan.
func MakePlan(m Model) Plan {
	p := Plan{Ingress: map[string][]string{}, Egress: map[string][]string{}}
	policies := slices.Clone(m.Policies)
	slices.SortFunc(policies, func(a, b *networkingv1.NetworkPolicy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, policy := range policies {
		selected := m.selectLocal(policy)
		if len(selected) == 0 {
			continue
		}
		for _, direction := range policyTypes(policy) {
			ingress := direction == networkingv1.PolicyTypeIngress
			chain := m.chain(policy, ingress)
			p.Chains = append(p.Chains, chain)
			isolated := p.Egress
			if ingress {
				isolated = p.Ingress
			}
			for _, ip := range selected {
				isolated[ip] = append(isolated[ip], chain.Name)
			}
		}
	}
	return p
}

// policyTypes applies the API's default: ingress always, egress if it has rules.
func policyTypes(policy *networkingv1.NetworkPolicy) []networkingv1.PolicyType {
	if len(policy.Spec.PolicyTypes) > 0 {
		return policy.Spec.PolicyTypes
	}
	types := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(policy.Spec.Egress) > 0 {
		types = append(types, networkingv1.PolicyTypeEgress)
	}
	return types
}

func (m Model) selectLocal(policy *networkingv1.NetworkPolicy) []string {
	var found []string
	for _, pod := range m.Pods {
		if pod.Local && pod.Namespace == policy.Namespace && matches(&policy.Spec.PodSelector, pod.Labels) {
			found = append(found, pod.IP)
		}
	}
	return tidy(found)
}

// matches reports whether a selector selects the labels; an invalid selector matches nothing.
func matches(selector *metav1.LabelSelector, set map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(set))
}

func (m Model) chain(policy *networkingv1.NetworkPolicy, ingress bool) Chain {
	c := Chain{Name: chainName(policy, ingress), Ingress: ingress}
	if ingress {
		for _, r := range policy.Spec.Ingress {
			c.Rules = append(c.Rules, m.rules(policy, true, r.From, r.Ports)...)
		}
		return c
	}
	for _, r := range policy.Spec.Egress {
		c.Rules = append(c.Rules, m.rules(policy, false, r.To, r.Ports)...)
	}
	return c
}

// chainName returns a hash, because a namespace and a name together may exceed the maximum length of the name of a
// chain.
func chainName(policy *networkingv1.NetworkPolicy, ingress bool) string {
	direction := "egress"
	if ingress {
		direction = "ingress"
	}
	sum := sha256.Sum256([]byte(policy.Namespace + "/" + policy.Name))
	return "policy-" + direction + "-" + hex.EncodeToString(sum[:8])
}

func (m Model) rules(
	policy *networkingv1.NetworkPolicy, ingress bool, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort,
) []Rule {
	to := m.peers(policy.Namespace, peers)
	if !to.Any && len(to.IPs) == 0 && len(to.Blocks) == 0 {
		return nil // selectors without a match allow nothing
	}
	if len(ports) == 0 {
		return []Rule{{Peers: to}}
	}
	var rules []Rule
	for _, port := range ports {
		if port.Port != nil && port.Port.Type == intstr.String {
			rules = append(rules, m.namedPortRules(policy, ingress, to, port)...)
			continue
		}
		rules = append(rules, Rule{Peers: to, Port: numbered(port)})
	}
	return rules
}

func protocol(port networkingv1.NetworkPolicyPort) corev1.Protocol {
	if port.Protocol == nil {
		return corev1.ProtocolTCP
	}
	return *port.Protocol
}

func numbered(port networkingv1.NetworkPolicyPort) *Port {
	p := &Port{Protocol: protocol(port)}
	if port.Port != nil {
		p.First, p.Last = port.Port.IntVal, port.Port.IntVal
	}
	if port.EndPort != nil {
		p.Last = *port.EndPort
	}
	return p
}

// namedPortRules returns one rule for each number of a named port. The destination defines the name: the selected pods
// for ingress, the peers for egress.
func (m Model) namedPortRules(
	policy *networkingv1.NetworkPolicy, ingress bool, peers Peers, port networkingv1.NetworkPolicyPort,
) []Rule {
	byNumber := map[int32][]string{}
	for _, pod := range m.Pods {
		destination := peers.contain(pod.IP)
		if ingress {
			destination = pod.Local && pod.Namespace == policy.Namespace && matches(&policy.Spec.PodSelector, pod.Labels)
		}
		if !destination {
			continue
		}
		for _, named := range pod.Ports {
			if named.Name == port.Port.StrVal && named.Protocol == protocol(port) {
				byNumber[named.Port] = append(byNumber[named.Port], pod.IP)
			}
		}
	}
	var rules []Rule
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		r := Rule{Peers: peers, Pods: tidy(byNumber[number]), Port: &Port{Protocol: protocol(port), First: number, Last: number}}
		if !ingress {
			r.Peers = Peers{Any: true} // r.Pods has the peers that are allowed
		}
		rules = append(rules, r)
	}
	return rules
}

func (m Model) peers(namespace string, list []networkingv1.NetworkPolicyPeer) Peers {
	if len(list) == 0 {
		return Peers{Any: true}
	}
	var p Peers
	for _, peer := range list {
		if peer.IPBlock != nil {
			if prefix, err := netip.ParsePrefix(peer.IPBlock.CIDR); err == nil && prefix.Addr().Is4() {
				p.Blocks = append(p.Blocks, Block{CIDR: peer.IPBlock.CIDR, Except: tidy(slices.Clone(peer.IPBlock.Except))})
			}
			continue
		}
		for _, pod := range m.Pods {
			if m.peerMatches(namespace, peer, pod) {
				p.IPs = append(p.IPs, pod.IP)
			}
		}
	}
	p.IPs = tidy(p.IPs)
	return p
}

func (m Model) peerMatches(namespace string, peer networkingv1.NetworkPolicyPeer, pod Pod) bool {
	if peer.NamespaceSelector == nil {
		if pod.Namespace != namespace {
			return false
		}
	} else if !matches(peer.NamespaceSelector, m.Namespaces[pod.Namespace]) {
		return false
	}
	return peer.PodSelector == nil || matches(peer.PodSelector, pod.Labels)
}

func (p Peers) contain(ip string) bool {
	if p.Any || slices.Contains(p.IPs, ip) {
		return true
	}
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.contains(address) })
}

func (b Block) contains(address netip.Addr) bool {
	inside := func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		return err == nil && prefix.Contains(address)
	}
	return inside(b.CIDR) && !slices.ContainsFunc(b.Except, inside)
}

// tidy sorts a list and removes its duplicates.
func tidy(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Model is the part of the cluster that policies depend on.
type Model struct {
	Pods []Pod
	// Namespaces holds the labels of each namespace.
	Namespaces map[string]map[string]string
	Policies   []*networkingv1.NetworkPolicy
}

type Pod struct {
	Namespace string
	Name      string
	Labels    map[string]string
	IP        string
	// Local pods run on this node; this node's rules decide only about their traffic.
	Local bool
	Ports []NamedPort
}

// NamedPort is a container port that policies may reference by name.
type NamedPort struct {
	Name     string
	Protocol corev1.Protocol
	Port     int32
}

type Plan struct {
	// Ingress and Egress list the chains of each isolated pod, by its address. An empty list allows no traffic.
	Ingress map[string][]string
	Egress  map[string][]string
	Chains  []Chain
}

// Chain has the traffic that one policy allows in one direction.
type Chain struct {
	Name    string
	Ingress bool
	Rules   []Rule
}

// Rule allows traffic that matches Peers, Pods and Port. Empty Pods and a nil Port match anything.
type Rule struct {
	Peers Peers
	// Pods limits the rule to these destinations: the number of a named port depends on the pod.
	Pods []string
	// Port is nil for all ports of all protocols.
	Port *Port
}

// Peers are the other ends of the traffic. Any allows all of them; without Any, empty lists allow none.
type Peers struct {
	Any    bool
	IPs    []string
	Blocks []Block
}

type Block struct {
	CIDR   string
	Except []string
}

// Port is a range of ports of a protocol. First 0 means every port.
type Port struct {
	Protocol    corev1.Protocol
	First, Last int32
}
