// Package forward forwards connections on a port of the machine to the present pods of a Service, or to an address
// outside of the cluster, to which nodes have no route.
package forward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

const (
	// A new connection waits for a pod this long, so that callers see a slow answer and not an error while the only pod
	// is replaced.
	patience = 15 * time.Second
	dialTime = time.Second
	retry    = 100 * time.Millisecond
	// A pod whose node lost its power sends no reset. Without this limit a caller would wait for minutes on a connection
	// without an answer.
	silence = 10 * time.Second
)

// podDialer dials pods. Its connections fail when the pod has acknowledged no data for the time `silence`.
var podDialer = net.Dialer{
	Timeout:         dialTime,
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 5, Count: 3},
	Control: func(_, _ string, conn syscall.RawConn) error {
		var failed error
		err := conn.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
		})
		return errors.Join(err, failed)
	},
}

// outsideTime is the timeout of a connection to an address outside the cluster.
const outsideTime = 10 * time.Second

type Target struct {
	Service, Namespace string
	Port               int32
	Outside            string
}

// ParseTarget parses SERVICE.NAMESPACE:PORT, or tcp://HOST:PORT for an address outside of the cluster.
func ParseTarget(text string) (Target, error) {
	address, outside := strings.CutPrefix(text, "tcp://")
	host, port, err := net.SplitHostPort(address)
	number, portErr := strconv.ParseUint(port, 10, 16)
	service, namespace, _ := strings.Cut(host, ".")
	switch {
	case err != nil, portErr != nil, number == 0, host == "":
	case outside:
		return Target{Outside: address}, nil
	case service != "" && namespace != "" && !strings.Contains(namespace, "."):
		return Target{Service: service, Namespace: namespace, Port: int32(number)}, nil
	}
	return Target{}, fmt.Errorf("%q: want SERVICE.NAMESPACE:PORT or tcp://HOST:PORT", text)
}

type forwarder struct {
	target   Target
	services corelisters.ServiceLister
	slices   discoverylisters.EndpointSliceLister
	next     atomic.Uint64
}

// Run accepts connections until the context ends.
func Run(ctx context.Context, client kubernetes.Interface, listen string, target Target) error {
	f := &forwarder{target: target}
	if target.Outside == "" {
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(target.Namespace))
		f.services = factory.Core().V1().Services().Lister()
		f.slices = factory.Discovery().V1().EndpointSlices().Lister()
		factory.Start(ctx.Done())
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		_ = listener.Close()
	}()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go f.serve(ctx, conn.(*net.TCPConn))
	}
}

func (f *forwarder) serve(ctx context.Context, from *net.TCPConn) {
	defer func() { _ = from.Close() }()
	to, err := f.dial(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = to.Close() }()
	done := make(chan struct{})
	go func() {
		pass(to, from)
		close(done)
	}()
	pass(from, to)
	<-done
}

// pass copies one direction and then closes it, so that half-closed connections work. An error ends both directions:
// the caller then connects again.
func pass(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = to.Close()
		_ = from.Close()
		return
	}
	_ = to.CloseWrite()
	_ = from.CloseRead()
}

// dial tries the pods in turn until one answers or the time `patience` is over.
func (f *forwarder) dial(ctx context.Context) (*net.TCPConn, error) {
	if f.target.Outside != "" {
		conn, err := (&net.Dialer{Timeout: outsideTime}).DialContext(ctx, "tcp", f.target.Outside)
		if err != nil {
			return nil, err
		}
		return conn.(*net.TCPConn), nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if address, ok := f.pick(); ok {
			if conn, err := podDialer.DialContext(ctx, "tcp", address); err == nil {
				return conn.(*net.TCPConn), nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no pod of %s.%s answers on port %d", f.target.Service, f.target.Namespace, f.target.Port)
		case <-time.After(retry):
		}
	}
}

func (f *forwarder) pick() (string, bool) {
	service, err := f.services.Services(f.target.Namespace).Get(f.target.Service)
	if err != nil {
		return "", false
	}
	found, err := f.slices.EndpointSlices(f.target.Namespace).List(
		labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: f.target.Service}))
	if err != nil {
		return "", false
	}
	addresses := Addresses(service, found, f.target.Port)
	if len(addresses) == 0 {
		return "", false
	}
	return addresses[f.next.Add(1)%uint64(len(addresses))], true
}

func Addresses(service *corev1.Service, slices []*discoveryv1.EndpointSlice, port int32) []string {
	var name *string
	for i := range service.Spec.Ports {
		if service.Spec.Ports[i].Port == port {
			name = &service.Spec.Ports[i].Name
		}
	}
	if name == nil {
		return nil
	}
	var addresses []string
	for _, slice := range slices {
		for _, p := range slice.Ports {
			if p.Port == nil || (p.Name != nil && *p.Name != *name) {
				continue
			}
			for _, e := range slice.Endpoints {
				if e.Conditions.Ready == nil || *e.Conditions.Ready {
					addresses = append(addresses, net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(*p.Port))))
				}
			}
		}
	}
	return addresses
}
