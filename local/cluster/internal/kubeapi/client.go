// Package kubeapi is what the cluster's own programs ask of the API server.
package kubeapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"hamlet.village/cluster/internal/spec"
)

// Config reads a kubeconfig. Requests are not slowed down: the callers are few and
// ours, and a thousand claims at once are a benchmark, not an accident.
func Config(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	return config, nil
}

// Client reads a kubeconfig and makes a client.
func Client(kubeconfig string) (*kubernetes.Clientset, error) {
	config, err := Config(kubeconfig)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// Poll asks until check succeeds, and at the deadline says what was last wrong.
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
			return fmt.Errorf("not within %s: %w", limit, last)
		case <-time.After(every):
		}
	}
}

// Listening checks that something accepts connections.
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

// APIReady checks that the API server calls itself ready. It asks without a
// certificate check: the answer is a yes or a no, and nothing is sent.
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

// Apply applies manifests by server-side apply, so that doing it again changes nothing.
func Apply(ctx context.Context, s spec.Spec, manifests string) error {
	cmd := exec.CommandContext(ctx, s.Program("kubectl"), "--kubeconfig", s.Kubeconfig(), "apply",
		"--server-side", "--force-conflicts", "--field-manager=hamlet-cluster", "-f", "-")
	cmd.Stdin = strings.NewReader(manifests)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}
