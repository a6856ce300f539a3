package netpol

import (
	"math/rand"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	web   = "10.90.1.2"
	agent = "10.90.1.3"
	far   = "10.90.2.4"
	dns   = "10.90.2.5"
)

// village is the cluster that the cases share: two pods on this node, two on another.
func village(policies ...*networkingv1.NetworkPolicy) Model {
	return Model{
		Pods: []Pod{
			{Namespace: "v", Name: "web", Labels: map[string]string{"app": "web"}, IP: web, Local: true,
				Ports: []NamedPort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 8080}}},
			{Namespace: "v", Name: "agent", Labels: map[string]string{"app": "agent"}, IP: agent, Local: true},
			{Namespace: "v", Name: "far", Labels: map[string]string{"app": "web"}, IP: far,
				Ports: []NamedPort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 9090}}},
			{Namespace: "kube-system", Name: "dns", Labels: map[string]string{"k8s-app": "kube-dns"}, IP: dns},
		},
		Namespaces: map[string]map[string]string{"v": {"name": "v"}, "kube-system": {"name": "kube-system"}},
		Policies:   policies,
	}
}

func selector(key, value string) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

func policy(name string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "v", Name: name}, Spec: spec}
}

func egress(rules ...networkingv1.NetworkPolicyEgressRule) *networkingv1.NetworkPolicy {
	return policy("p", networkingv1.NetworkPolicySpec{
		PodSelector: selector("app", "agent"), Egress: rules,
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
	})
}

func to(peers ...networkingv1.NetworkPolicyPeer) networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{To: peers}
}

func pods(s metav1.LabelSelector) networkingv1.NetworkPolicyPeer {
	return networkingv1.NetworkPolicyPeer{PodSelector: &s}
}

func port(value intstr.IntOrString) []networkingv1.NetworkPolicyPort {
	return []networkingv1.NetworkPolicyPort{{Port: &value}}
}

func TestRulesOfAPolicy(t *testing.T) {
	everyone, system := metav1.LabelSelector{}, selector("name", "kube-system")
	tcp := func(first, last int32) *Port { return &Port{Protocol: corev1.ProtocolTCP, First: first, Last: last} }
	udp, end := corev1.ProtocolUDP, int32(8100)
	from := intstr.FromInt32(8000)
	cases := map[string]struct {
		rule networkingv1.NetworkPolicyEgressRule
		want []Rule
	}{
		"anywhere":            {to(), []Rule{{Peers: Peers{Any: true}}}},
		"pods of a namespace": {to(pods(selector("app", "web"))), []Rule{{Peers: Peers{IPs: []string{web, far}}}}},
		"all pods of its own namespace, not of others": {to(pods(everyone)), []Rule{{Peers: Peers{IPs: []string{web, agent, far}}}}},
		"all namespaces":                    {to(networkingv1.NetworkPolicyPeer{NamespaceSelector: &everyone}), []Rule{{Peers: Peers{IPs: []string{web, agent, far, dns}}}}},
		"a namespace":                       {to(networkingv1.NetworkPolicyPeer{NamespaceSelector: &system}), []Rule{{Peers: Peers{IPs: []string{dns}}}}},
		"selectors that match no pod":       {to(pods(selector("app", "ghost"))), nil},
		"a selector on namespaces and pods": {to(networkingv1.NetworkPolicyPeer{NamespaceSelector: &system, PodSelector: ptr(selector("app", "web"))}), nil},
		"a block with a hole":               {to(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.89.0.0/16"}}}), []Rule{{Peers: Peers{Blocks: []Block{{CIDR: "10.0.0.0/8", Except: []string{"10.89.0.0/16"}}}}}}},
		"IPv6 blocks are ignored":           {to(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "fd00::/8"}}), nil},
		"a port":                            {withPorts(to(), port(intstr.FromInt32(80))), []Rule{{Peers: Peers{Any: true}, Port: tcp(80, 80)}}},
		"a range of ports":                  {withPorts(to(), []networkingv1.NetworkPolicyPort{{Port: &from, EndPort: &end}}), []Rule{{Peers: Peers{Any: true}, Port: tcp(8000, 8100)}}},
		"every port of a protocol":          {withPorts(to(), []networkingv1.NetworkPolicyPort{{Protocol: &udp}}), []Rule{{Peers: Peers{Any: true}, Port: &Port{Protocol: udp}}}},
		"a port by the destination's name":  {withPorts(to(pods(selector("app", "web"))), port(intstr.FromString("http"))), []Rule{{Peers: Peers{Any: true}, Pods: []string{web}, Port: tcp(8080, 8080)}, {Peers: Peers{Any: true}, Pods: []string{far}, Port: tcp(9090, 9090)}}},
		"a port by an unknown name":         {withPorts(to(), port(intstr.FromString("gopher"))), nil},
		"a port by name within a block":     {withPorts(to(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "10.90.2.0/24"}}), port(intstr.FromString("http"))), []Rule{{Peers: Peers{Any: true}, Pods: []string{far}, Port: tcp(9090, 9090)}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			plan := MakePlan(village(egress(c.rule)))
			if len(plan.Chains) != 1 || !reflect.DeepEqual(plan.Chains[0].Rules, c.want) {
				t.Fatalf("got %+v\nwant %+v", plan.Chains, c.want)
			}
		})
	}
}

func ptr[T any](value T) *T { return &value }

func withPorts(r networkingv1.NetworkPolicyEgressRule, ports []networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicyEgressRule {
	r.Ports = ports
	return r
}

func TestWhoIsIsolated(t *testing.T) {
	all := metav1.LabelSelector{}
	cases := map[string]struct {
		spec            networkingv1.NetworkPolicySpec
		ingress, egress []string
	}{
		"default: ingress only":     {networkingv1.NetworkPolicySpec{PodSelector: all}, []string{web, agent}, nil},
		"default with egress rules": {networkingv1.NetworkPolicySpec{PodSelector: all, Egress: []networkingv1.NetworkPolicyEgressRule{{}}}, []string{web, agent}, []string{web, agent}},
		"egress only":               {networkingv1.NetworkPolicySpec{PodSelector: selector("app", "agent"), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}}, nil, []string{agent}},
		"no local pod":              {networkingv1.NetworkPolicySpec{PodSelector: selector("app", "ghost")}, nil, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			plan := MakePlan(village(policy("p", c.spec)))
			for direction, pair := range map[string][2][]string{
				"ingress": {sortedKeys(plan.Ingress), c.ingress}, "egress": {sortedKeys(plan.Egress), c.egress},
			} {
				if strings.Join(pair[0], " ") != strings.Join(pair[1], " ") {
					t.Errorf("%s: got %v, want %v", direction, pair[0], pair[1])
				}
			}
		})
	}
}

func TestPoliciesAddUp(t *testing.T) {
	one, two := egress(to(pods(selector("app", "web")))), egress()
	two.Name = "q"
	plan := MakePlan(village(two, one))
	if got := plan.Egress[agent]; len(got) != 2 || got[0] == got[1] {
		t.Fatalf("got %v, want the chains of both policies", got)
	}
}

func TestEqualModelsGiveEqualScripts(t *testing.T) {
	m := village(egress(to(pods(metav1.LabelSelector{}))), policy("all", networkingv1.NetworkPolicySpec{}))
	want := Render(MakePlan(m))
	rng := rand.New(rand.NewSource(1))
	for range 50 {
		rng.Shuffle(len(m.Pods), func(i, j int) { m.Pods[i], m.Pods[j] = m.Pods[j], m.Pods[i] })
		rng.Shuffle(len(m.Policies), func(i, j int) { m.Policies[i], m.Policies[j] = m.Policies[j], m.Policies[i] })
		if got := Render(MakePlan(m)); got != want {
			t.Fatalf("the order of parts shows:\n%s\n%s", got, want)
		}
	}
}

// The nft program reads the script in check mode, in a network namespace that
// disappears with the test.
func TestNftAcceptsTheScript(t *testing.T) {
	udp, sctp, end := corev1.ProtocolUDP, corev1.ProtocolSCTP, int32(8100)
	from := intstr.FromInt32(8000)
	m := village(
		egress(
			withPorts(to(pods(selector("app", "web"))), port(intstr.FromString("http"))),
			withPorts(to(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.89.0.0/16", "10.1.0.0/16"}}}),
				[]networkingv1.NetworkPolicyPort{{Port: &from, EndPort: &end}, {Protocol: &udp}, {Protocol: &sctp, Port: &from}})),
		policy("deny-all", networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{
			networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}}),
	)
	cmd := exec.Command("unshare", "--net", "nft", "--check", "-f", "-")
	cmd.Stdin = strings.NewReader(Render(MakePlan(m)))
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "unshare failed") || cmd.ProcessState == nil {
			t.Skip("needs root and nftables")
		}
		t.Fatalf("%v: %s\n%s", err, out, Render(MakePlan(m)))
	}
}
