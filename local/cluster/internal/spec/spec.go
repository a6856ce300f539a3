// Package spec describes a local cluster: its names, addresses, ports and folders. A spec is plain data, computed once
// before any side effect.
package spec

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// maxState leaves room for the names of sockets, whose paths may have at most 107 characters.
const maxState = 64

type Profile string

const (
	// ProfileFull is the control plane and two nodes that run real pods.
	ProfileFull Profile = "full"
	// ProfileControlPlane has no kubelets: for tests and for simulated nodes.
	ProfileControlPlane Profile = "control-plane"
	// ProfileAPI is etcd and the API server alone, which start in a few seconds.
	ProfileAPI Profile = "api"
)

// MaxSlot is the highest slot. Each slot has its own address range, so clusters of different slots fit on one machine.
const MaxSlot = 9

// Ports are the listeners of the control plane. All except API are on loopback.
type Ports struct {
	API               int `json:"api"`
	EtcdClient        int `json:"etcdClient"`
	EtcdPeer          int `json:"etcdPeer"`
	ControllerManager int `json:"controllerManager"`
	Scheduler         int `json:"scheduler"`
}

// Node is one simulated machine: a network and a mount namespace with a containerd, a kubelet, a kube-proxy and a
// network policy agent in it.
type Node struct {
	Name    string `json:"name"`
	IP      string `json:"ip"`
	PodCIDR string `json:"podCIDR"`
	// Unique names the node's network namespace and cgroup on the machine.
	Unique string `json:"unique"`
	// Veth is the machine's end of the node's cable, at most 15 characters.
	Veth string `json:"veth"`
}

// Spec is a whole cluster. The state folder has it as cluster.json.
type Spec struct {
	Name        string  `json:"name"`
	Profile     Profile `json:"profile"`
	State       string  `json:"state"`
	Bin         string  `json:"bin"`
	Slot        int     `json:"slot"`
	Ports       Ports   `json:"ports"`
	APIHost     string  `json:"apiHost"`
	Bridge      string  `json:"bridge,omitempty"`
	Nodes       []Node  `json:"nodes"`
	PodCIDR     string  `json:"podCIDR"`
	ServiceCIDR string  `json:"serviceCIDR"`
	APIService  string  `json:"apiService"`
	DNSService  string  `json:"dnsService"`
	GPUsPerNode int     `json:"gpusPerNode"`
	// Outside lets pods reach hosts outside of the machine, under its address.
	Outside bool `json:"outside,omitempty"`
	// Cgroup names the cgroup of all processes of the cluster. It includes the state folder: two clusters may have the
	// same name, but never the same folder.
	Cgroup string `json:"cgroup"`
}

type Options struct {
	Name        string
	Profile     Profile
	State       string
	Bin         string
	Slot        int
	GPUsPerNode int
	Outside     bool
	Ports       Ports
}

// validName allows only names that are valid for links, cgroups and namespaces.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)

// New derives a cluster from the options; the error names a wrong option.
func New(o Options) (Spec, error) {
	switch {
	case !validName.MatchString(o.Name):
		return Spec{}, fmt.Errorf("--name %q: want 1-20 of a-z, 0-9 and -, starting with a letter", o.Name)
	case !filepath.IsAbs(o.State) || len(o.State) > maxState:
		return Spec{}, fmt.Errorf("--state %q: want an absolute path of at most %d characters", o.State, maxState)
	case o.Slot < 0 || o.Slot > MaxSlot:
		return Spec{}, fmt.Errorf("--slot %d: want 0-%d", o.Slot, MaxSlot)
	case o.GPUsPerNode < 0 || o.GPUsPerNode > 64:
		return Spec{}, fmt.Errorf("--gpus %d: want 0-64", o.GPUsPerNode)
	}
	s := Spec{
		Name: o.Name, Profile: o.Profile, State: o.State, Bin: o.Bin, Slot: o.Slot, Ports: o.Ports,
		GPUsPerNode: o.GPUsPerNode, Outside: o.Outside, Cgroup: cgroupName(o), Nodes: []Node{}, APIHost: "127.0.0.1",
		PodCIDR:     fmt.Sprintf("10.90.%d.0/20", 16*o.Slot),
		ServiceCIDR: fmt.Sprintf("10.%d.0.0/16", 96+o.Slot),
		APIService:  fmt.Sprintf("10.%d.0.1", 96+o.Slot),
		DNSService:  fmt.Sprintf("10.%d.0.10", 96+o.Slot),
	}
	switch o.Profile {
	case ProfileAPI, ProfileControlPlane:
		return s, nil
	case ProfileFull:
		return s.withNodes(), nil
	}
	return Spec{}, fmt.Errorf("--profile %q: want full, control-plane or api", o.Profile)
}

func (s Spec) withNodes() Spec {
	s.APIHost = fmt.Sprintf("10.89.%d.1", s.Slot)
	s.Bridge = fmt.Sprintf("hamlet%d", s.Slot)
	for i := 1; i <= 2; i++ {
		name := fmt.Sprintf("sparky%d", i)
		unique := name
		if s.Slot != 0 {
			unique = fmt.Sprintf("%s-s%d", name, s.Slot)
		}
		s.Nodes = append(s.Nodes, Node{
			Name:    name,
			IP:      fmt.Sprintf("10.89.%d.%d", s.Slot, 10+i),
			PodCIDR: fmt.Sprintf("10.90.%d.0/24", 16*s.Slot+i),
			Unique:  unique,
			Veth:    fmt.Sprintf("hamlet%d-n%d", s.Slot, i),
		})
	}
	return s
}

func cgroupName(o Options) string {
	sum := sha256.Sum256([]byte(o.State))
	return fmt.Sprintf("hamlet-cluster-%s-%x", o.Name, sum[:3])
}

func (s Spec) Path(parts ...string) string {
	return filepath.Join(append([]string{s.State}, parts...)...)
}

func (s Spec) NodePath(n Node, parts ...string) string {
	return s.Path(append([]string{"nodes", n.Name}, parts...)...)
}

func (s Spec) Program(name string) string { return filepath.Join(s.Bin, name) }

func (s Spec) Server() string { return fmt.Sprintf("https://%s:%d", s.APIHost, s.Ports.API) }

func (s Spec) Kubeconfig() string { return s.Path("kubeconfig") }

// VolumePath is the folder of a node's volumes. It is separate from the files that `down --keep-data` removes.
func (s Spec) VolumePath(node string) string { return s.Path("volumes", node) }

func (s Spec) NodeNamed(name string) (Node, bool) {
	i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return Node{}, false
	}
	return s.Nodes[i], true
}

func (s Spec) Containerd(n Node) string { return s.NodePath(n, "containerd.sock") }

func (s Spec) PolicySocket(n Node) string { return s.NodePath(n, "policy.sock") }

func (s Spec) MountNamespace(n Node) string { return s.Path("run", "mnt-"+n.Name) }

func (s Spec) NetNamespace(n Node) string { return "/run/netns/" + n.Unique }

// Load reads the cluster of a state folder; fs.ErrNotExist if there is none.
func Load(state string) (Spec, error) {
	raw, err := os.ReadFile(filepath.Join(state, "cluster.json"))
	if err != nil {
		return Spec{}, err
	}
	var s Spec
	if err := json.Unmarshal(raw, &s); err != nil {
		return Spec{}, fmt.Errorf("%s/cluster.json is damaged: %w", state, err)
	}
	return s, nil
}

func (s Spec) Save() error {
	return WriteJSON(s.Path("cluster.json"), s)
}

// WriteJSON replaces a file in one step, so that readers never see a partial file.
func WriteJSON(path string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(raw, '\n'), 0o644)
}

// WriteFile replaces a file in one step and creates its folder.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, content, mode); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// Range of ports. Outgoing connections use ports from 32768 up, so they never occupy a chosen port.
const firstPort, lastPort = 12_000, 30_000

// FreePorts finds unused loopback ports. It keeps all of them open until it has found the last, so that it returns no
// port twice.
func FreePorts() (Ports, error) {
	var p Ports
	for _, port := range []*int{&p.API, &p.EtcdClient, &p.EtcdPeer, &p.ControllerManager, &p.Scheduler} {
		l, err := listenAnywhere()
		if err != nil {
			return Ports{}, err
		}
		defer func() { _ = l.Close() }()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

// claims hold the ports that this process has found. Components listen on them seconds later; until this process ends, no
// other program of the project takes them.
var claims []net.Listener

// listenAnywhere claims a random free port and listens on it.
func listenAnywhere() (l net.Listener, err error) {
	for range 1_000 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		var claim net.Listener
		if claim, err = net.Listen("unix", fmt.Sprintf("@hamlet-port-%d", port)); err != nil {
			continue
		}
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			claims = append(claims, claim)
			return l, nil
		}
		_ = claim.Close()
	}
	return nil, err
}
