package forward

import (
	"io"
	"net"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

func TestParseTarget(t *testing.T) {
	good, err := ParseTarget("api.hamlet:8080")
	if err != nil || good != (Target{Service: "api", Namespace: "hamlet", Port: 8080}) {
		t.Fatalf("got %+v, %v", good, err)
	}
	for text, address := range map[string]string{"tcp://api.example.org:443": "api.example.org:443", "tcp://[::1]:8000": "[::1]:8000"} {
		if got, err := ParseTarget(text); err != nil || got != (Target{Outside: address}) {
			t.Errorf("%q gives %+v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "api:80", "api.hamlet", "api.hamlet:0", "api.hamlet:70000", "api.hamlet:http", ".hamlet:80", "a.b.c:80", "tcp://", "tcp://a", "tcp://:80", "tcp://a:0"} {
		if got, err := ParseTarget(bad); err == nil {
			t.Errorf("%q gives %+v, want an error", bad, got)
		}
	}
}

func TestAConnectionToAnAddressOutsideIsPassedOn(t *testing.T) {
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = outside.Close() }()
	go func() {
		conn, err := outside.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		text, _ := io.ReadAll(conn)
		_, _ = conn.Write(append([]byte("answer to "), text...))
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	caller, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	from, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	f := &forwarder{target: Target{Outside: outside.Addr().String()}}
	go f.serve(t.Context(), from.(*net.TCPConn))
	_, _ = caller.Write([]byte("a question"))
	_ = caller.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(caller); err != nil || string(got) != "answer to a question" {
		t.Errorf("got %q, %v", got, err)
	}
}

func ptr[T any](value T) *T { return &value }

func TestAddressesAreThoseOfReadyPodsOnThePortAskedFor(t *testing.T) {
	service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{
		{Name: "http", Port: 80}, {Name: "metrics", Port: 9090},
	}}}
	slice := &discoveryv1.EndpointSlice{
		Ports: []discoveryv1.EndpointPort{
			{Name: ptr("http"), Port: ptr[int32](8080)}, {Name: ptr("metrics"), Port: ptr[int32](9100)},
		},
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr(true)}},
			{Addresses: []string{"10.0.0.2"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr(false)}},
			{Addresses: []string{"10.0.0.3"}}, // unknown counts as ready
		},
	}
	slices := []*discoveryv1.EndpointSlice{slice}
	if got := Addresses(service, slices, 80); !reflect.DeepEqual(got, []string{"10.0.0.1:8080", "10.0.0.3:8080"}) {
		t.Errorf("got %v", got)
	}
	if got := Addresses(service, slices, 443); got != nil {
		t.Errorf("a port that the Service does not have gives %v", got)
	}
}
