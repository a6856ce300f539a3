package component

import (
	"fmt"
	"os"
	"strings"

	"hamlet.village/cluster/internal/image"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/pki"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// onNode runs a program inside a node's namespaces. It does not use `ip netns exec`, which mounts another /sys and so
// hides the cgroups.
func onNode(s spec.Spec, n spec.Node, name string, args ...string) process.Component {
	enter := []string{"nsenter", "--net=" + s.NetNamespace(n), "--mount=" + s.MountNamespace(n), "--"}
	return process.Component{
		Name: name, Node: n.Name, Args: append(enter, args...),
		// containerd finds its shim by PATH, and the shim finds runc by PATH.
		Env: []string{"PATH=" + s.Bin + ":" + os.Getenv("PATH") + ":/usr/sbin:/sbin"},
	}
}

func Containerd(s spec.Spec, n spec.Node) process.Component {
	return onNode(s, n, "containerd", s.Program("containerd"), "--config", s.NodePath(n, "containerd.toml"), "--log-level", "warn")
}

func Kubelet(s spec.Spec, n spec.Node) process.Component {
	return onNode(s, n, "kubelet", s.Program("kubelet"),
		"--config="+s.NodePath(n, "kubelet.yaml"), "--kubeconfig="+pki.File(s, "node-"+n.Name),
		"--hostname-override="+n.Name, "--node-ip="+n.IP)
}

func KubeProxy(s spec.Spec, n spec.Node) process.Component {
	return onNode(s, n, "kube-proxy", s.Program("kube-proxy"), "--config="+s.NodePath(n, "kube-proxy.yaml"),
		"--hostname-override="+n.Name)
}

func NetPol(s spec.Spec, n spec.Node) process.Component {
	return onNode(s, n, "netpol", s.Program("hamlet-cluster"), "run-netpol", "--state", s.State, "--node", n.Name)
}

// NodeFiles are the configuration files of a node, by name in the node's folder.
func NodeFiles(s spec.Spec, n spec.Node) map[string]string {
	return map[string]string{
		"containerd.toml":          containerdConfig(s, n),
		"kubelet.yaml":             kubeletConfig(s, n),
		"kube-proxy.yaml":          kubeProxyConfig(s, n),
		"cni-conf/hamlet.conflist": cniConfig(s, n),
		// Pods use only the cluster's DNS, not the machine's.
		"resolv.conf": "",
	}
}

func containerdConfig(s spec.Spec, n spec.Node) string {
	lines := []string{
		`version = 3`,
		fmt.Sprintf(`root = %q`, s.NodePath(n, "containerd")),
		`state = "/run/containerd"`,
		`disabled_plugins = ["io.containerd.nri.v1.nri"]`,
		`[grpc]`,
		fmt.Sprintf(`address = %q`, s.Containerd(n)),
		`[plugins.'io.containerd.internal.v1.opt']`,
		fmt.Sprintf(`path = %q`, s.NodePath(n, "containerd-opt")),
		`[plugins.'io.containerd.cri.v1.images'.pinned_images]`,
		fmt.Sprintf(`sandbox = %q`, image.PauseName),
		`[plugins.'io.containerd.cri.v1.runtime']`,
		// Without CAP_SYS_RESOURCE, runc may raise an OOM score, but fails when it lowers one.
		`restrict_oom_score_adj = true`,
		`[plugins.'io.containerd.cri.v1.runtime'.cni]`,
		fmt.Sprintf(`bin_dirs = [%q, "/usr/lib/cni", "/opt/cni/bin"]`, s.Bin),
		fmt.Sprintf(`conf_dir = %q`, s.NodePath(n, "cni-conf")),
		`[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]`,
		`runtime_type = "io.containerd.runc.v2"`,
		`[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]`,
		fmt.Sprintf(`BinaryName = %q`, s.Program("runc")),
		`SystemdCgroup = false`,
	}
	return strings.Join(lines, "\n") + "\n"
}

// kubeletConfig differs from the defaults because two nodes share the computer, and because a village must recover
// quickly from a fault.
func kubeletConfig(s spec.Spec, n spec.Node) string {
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true, cacheTTL: 10s}
  x509: {clientCAFile: %[1]s/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: %[1]s/pki/kubelet-%[2]s.crt
tlsPrivateKeyFile: %[1]s/pki/kubelet-%[2]s.key
address: %[3]s
clusterDNS: [%[4]s]
clusterDomain: cluster.local
resolvConf: %[5]s/resolv.conf
containerRuntimeEndpoint: unix://%[6]s
cgroupDriver: cgroupfs
cgroupRoot: %[7]s
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
maxPods: 110
nodeStatusUpdateFrequency: 5s
crashLoopBackOff: {maxContainerRestartPeriod: 2s}
serializeImagePulls: false
kubeAPIQPS: 200
kubeAPIBurst: 400
eventRecordQPS: 100
eventBurst: 200
# The machine's disk and memory are shared with everything else on it, and images
# come from no registry, so a collected image would be lost permanently.
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
# A fork bomb or a flood of log in one pod must not take the node from the others.
podPidsLimit: 1500
containerLogMaxSize: 10Mi
containerLogMaxFiles: 3
containerLogMonitorInterval: 3s
evictionHard: {memory.available: 50Mi, nodefs.available: 1%%, nodefs.inodesFree: 1%%, imagefs.available: 1%%, imagefs.inodesFree: 1%%}
volumePluginDir: %[5]s/volume-plugins
logging: {verbosity: 1}
`, s.State, n.Name, n.IP, s.DNSService, s.NodePath(n), s.Containerd(n), machine.NodeCgroup(n))
}

func kubeProxyConfig(s spec.Spec, n spec.Node) string {
	return fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: %s, qps: 100, burst: 200}
mode: nftables
clusterCIDR: %s
hostnameOverride: %s
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
oomScoreAdj: 0
# These would set limits of the whole machine.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
# Five times quicker than the default: a replaced pod is reachable at once.
nftables: {minSyncPeriod: 200ms, syncPeriod: 30s}
`, pki.File(s, "kube-proxy"), s.PodCIDR, n.Name)
}

// cniConfig gives each pod its own link to the node (ptp), so that the policy rules apply even between two pods of one
// node. hamlet-policy delays a pod until its rules are in place.
func cniConfig(s spec.Spec, n spec.Node) string {
	return fmt.Sprintf(`{
  "cniVersion": "1.0.0",
  "name": "hamlet",
  "plugins": [
    {
      "type": "ptp", "ipMasq": false, "mtu": 1500,
      "ipam": {
        "type": "host-local", "dataDir": "/run/cni-ipam",
        "ranges": [[{"subnet": %q}]], "routes": [{"dst": "0.0.0.0/0"}]
      }
    },
    {"type": "hamlet-policy", "socket": %q}
  ]
}
`, n.PodCIDR, s.PolicySocket(n))
}
