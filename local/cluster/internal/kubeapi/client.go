// Package kubeapi has the requests of the cluster's own programs to the API server.
package kubeapi

import (
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"hamlet.village/cluster/internal/image"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/spec"
)

//go:embed base.yaml
var baseManifests string

//go:embed dns.yaml
var dnsManifests string

// Client returns a client with high request limits: a benchmark sends a thousand volume claims at once.
func Client(kubeconfig string) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	return kubernetes.NewForConfig(config)
}

// Poll repeats check until it succeeds; at the deadline it returns the last error.
func Poll(ctx context.Context, limit time.Duration, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	const every = 100 * time.Millisecond
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("timed out after %s: %w", limit, last)
		case <-time.After(every):
		}
	}
}

func Listening(network, address string) func(context.Context) error {
	return func(ctx context.Context) error {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// APIReady checks that the API server reports itself ready. It skips the certificate check, because it sends nothing
// and reads only a status.
func APIReady(s spec.Spec) func(context.Context) error {
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Server()+"/readyz", nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
			return fmt.Errorf("readyz answers %d: %s", response.StatusCode, body)
		}
		return nil
	}
}

// Apply applies manifests by server-side apply, so repeating it changes nothing.
func Apply(ctx context.Context, s spec.Spec, manifests string) error {
	cmd := exec.CommandContext(ctx, s.Program("kubectl"), "--kubeconfig", s.Kubeconfig(), "apply",
		"--server-side", "--force-conflicts", "--field-manager=hamlet-cluster", "-f", "-")
	cmd.Stdin = strings.NewReader(manifests)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}

// Manifests returns the first objects of every cluster. They include DNS only if nodes can run it.
func Manifests(s spec.Spec) (string, error) {
	if s.Profile != spec.ProfileFull {
		return baseManifests, nil
	}
	name, err := image.DNSName(s)
	if err != nil {
		return "", err
	}
	outside, err := namesOutside(s)
	if err != nil {
		return "", err
	}
	values := strings.NewReplacer("${DNS_SERVICE}", s.DNSService, "${DNS_IMAGE}", name, "${DNS_OUTSIDE}", outside)
	return values.Replace(baseManifests + "---\n" + dnsManifests), nil
}

// namesOutside is the part of the Corefile, indented as dns.yaml is, for names outside of the cluster.
func namesOutside(s spec.Spec) (string, error) {
	if !s.Outside {
		return "template ANY ANY . {\n        rcode NXDOMAIN\n      }", nil
	}
	servers, err := machine.Resolvers()
	return "forward . " + strings.Join(servers, " "), err
}

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
