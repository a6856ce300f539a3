// Package component has the arguments and configuration files of each program of a cluster, derived from the spec
// without side effects.
package component

import (
	"fmt"
	"net"

	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/pki"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// Etcd stores the objects of the cluster. --unsafe-no-fsync makes writes 10 times faster; a power cut may lose the
// objects, because the cluster is disposable.
func Etcd(s spec.Spec) process.Component {
	client := fmt.Sprintf("https://127.0.0.1:%d", s.Ports.EtcdClient)
	peer := fmt.Sprintf("https://127.0.0.1:%d", s.Ports.EtcdPeer)
	return process.Component{Name: "etcd", Args: []string{
		s.Program("etcd"), "--name=" + s.Name, "--data-dir=" + s.Path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=" + s.Name + "=" + peer,
		"--client-cert-auth", "--trusted-ca-file=" + s.Path("pki", "ca.crt"),
		"--cert-file=" + s.Path("pki", "etcd.crt"), "--key-file=" + s.Path("pki", "etcd.key"),
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + s.Path("pki", "ca.crt"),
		"--peer-cert-file=" + s.Path("pki", "etcd.crt"), "--peer-key-file=" + s.Path("pki", "etcd.key"),
		// The default of two megabytes is too small for a page of thousands of objects.
		"--max-request-bytes=10485760", "--quota-backend-bytes=8589934592",
		"--auto-compaction-mode=periodic", "--auto-compaction-retention=5m", "--log-level=warn",
	}}
}

// APIServer serves on the bridge if there are nodes, else on loopback.
func APIServer(s spec.Spec) process.Component {
	args := []string{
		s.Program("kube-apiserver"),
		"--bind-address=" + s.APIHost, "--advertise-address=" + s.APIHost, fmt.Sprintf("--secure-port=%d", s.Ports.API),
		fmt.Sprintf("--etcd-servers=https://127.0.0.1:%d", s.Ports.EtcdClient),
		"--etcd-cafile=" + s.Path("pki", "ca.crt"),
		"--etcd-certfile=" + s.Path("pki", "etcd-client.crt"), "--etcd-keyfile=" + s.Path("pki", "etcd-client.key"),
		"--client-ca-file=" + s.Path("pki", "ca.crt"),
		"--tls-cert-file=" + s.Path("pki", "apiserver.crt"), "--tls-private-key-file=" + s.Path("pki", "apiserver.key"),
		"--kubelet-certificate-authority=" + s.Path("pki", "ca.crt"),
		"--kubelet-client-certificate=" + s.Path("pki", "apiserver-kubelet-client.crt"),
		"--kubelet-client-key=" + s.Path("pki", "apiserver-kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP", // node names do not resolve
		"--requestheader-client-ca-file=" + s.Path("pki", "ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + s.Path("pki", "front-proxy-client.crt"),
		"--proxy-client-key-file=" + s.Path("pki", "front-proxy-client.key"),
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + s.Path("pki", "service-account.pub"),
		"--service-account-signing-key-file=" + s.Path("pki", "service-account.key"),
		"--service-cluster-ip-range=" + s.ServiceCIDR,
		"--allow-privileged=true", "--profiling=false",
		// The default limits would make the writers of a benchmark wait for each other.
		"--max-requests-inflight=1600", "--max-mutating-requests-inflight=800",
	}
	if s.Profile != spec.ProfileFull {
		// A loopback address cannot be an endpoint of the Service "kubernetes".
		args = append(args, "--endpoint-reconciler-type=none")
	}
	return process.Component{Name: "kube-apiserver", Args: args}
}

// ControllerManager creates and deletes the objects that other objects need, for example volume claims and endpoints.
func ControllerManager(s spec.Spec) process.Component {
	return client(s, "controller-manager", s.Ports.ControllerManager,
		"--use-service-account-credentials=true",
		"--root-ca-file="+s.Path("pki", "ca.crt"),
		"--service-account-private-key-file="+s.Path("pki", "service-account.key"),
		"--cluster-signing-cert-file="+s.Path("pki", "ca.crt"), "--cluster-signing-key-file="+s.Path("pki", "ca.key"),
		"--controllers=*,-nodeipam", "--cluster-cidr="+s.PodCIDR,
		// The default folder is in /usr, outside the cluster's folder. This folder stays empty: volumes need no driver.
		"--flex-volume-plugin-dir="+s.Path("run", "flexvolume"))
}

func Scheduler(s spec.Spec) process.Component { return client(s, "scheduler", s.Ports.Scheduler) }

// client is a program of the control plane. A cluster has one process of it, so it needs no leader election. Its
// request limits are high: 1,000 volume claims take 283 s at the default of 20 requests a second.
func client(s spec.Spec, name string, port int, args ...string) process.Component {
	config := pki.File(s, name)
	return process.Component{Name: "kube-" + name, Args: append([]string{
		s.Program("kube-" + name),
		"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
		"--leader-elect=false", "--profiling=false", "--kube-api-qps=1000", "--kube-api-burst=1000",
	}, args...)}
}

func Addons(s spec.Spec) process.Component {
	return process.Component{Name: "addons", Args: []string{s.Program("hamlet-cluster"), "run-addons", "--state", s.State}}
}

func Forward(s spec.Spec, f control.Forward) process.Component {
	_, port, _ := net.SplitHostPort(f.Listen)
	return process.Component{Name: "forward-" + port, Args: []string{
		s.Program("hamlet-cluster"), "run-forward", "--state", s.State, "--listen", f.Listen, "--to", f.To,
	}}
}
