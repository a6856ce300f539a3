// Package netpol enforces NetworkPolicies on one node by nftables. MakePlan decides the rules as plain data; Render
// writes them as an nft script; Agent watches the cluster and applies them.
package netpol

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// Model is the part of the cluster that policies depend on.
type Model struct {
	Pods []Pod
	// Namespaces holds the labels of each namespace.
	Namespaces map[string]map[string]string
	Policies   []*networkingv1.NetworkPolicy
}

// Pod is a pod that has its own address.
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
