package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"hamlet.village/cluster/internal/spec"
)

// GPUResource is the resource name of simulated GPUs.
const GPUResource corev1.ResourceName = "nvidia.com/gpu"

// NodesReady checks that each node is Ready, has its simulated GPUs, and has renewed its Lease after `since`: a Ready
// condition from before a restart is stale.
func NodesReady(s spec.Spec, client kubernetes.Interface, since time.Time) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, n := range s.Nodes {
			if err := nodeReady(ctx, client, n.Name, since, s.GPUsPerNode); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
		return nil
	}
}

func nodeReady(ctx context.Context, client kubernetes.Interface, name string, since time.Time, gpus int) error {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if i < 0 {
		return errors.New("has not reported yet")
	}
	if ready := node.Status.Conditions[i]; ready.Status != corev1.ConditionTrue {
		return fmt.Errorf("not ready: %s", ready.Message)
	}
	lease, err := client.CoordinationV1().Leases("kube-node-lease").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if lease.Spec.RenewTime == nil || lease.Spec.RenewTime.Time.Before(since) {
		return errors.New("kubelet has not renewed its lease")
	}
	if have := node.Status.Capacity[GPUResource]; have.Value() != int64(gpus) {
		return fmt.Errorf("has %d of %d simulated GPUs", have.Value(), gpus)
	}
	return nil
}

// DNSServes checks that the cluster's DNS answers through its Service: kube-proxy, a pod and the machine's routes work.
func DNSServes(s spec.Spec) func(context.Context) error {
	resolver := &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			d := net.Dialer{Timeout: time.Second}
			return d.DialContext(ctx, network, net.JoinHostPort(s.DNSService, "53"))
		},
	}
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		found, err := resolver.LookupHost(ctx, "kubernetes.default.svc.cluster.local.")
		if err != nil {
			return err
		}
		if !slices.Contains(found, s.APIService) {
			return fmt.Errorf("DNS answers %v, want %s", found, s.APIService)
		}
		return nil
	}
}
