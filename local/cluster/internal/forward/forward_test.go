package forward

import (
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
	for _, bad := range []string{"", "api:80", "api.hamlet", "api.hamlet:0", "api.hamlet:70000", "api.hamlet:http", ".hamlet:80", "a.b.c:80"} {
		if got, err := ParseTarget(bad); err == nil {
			t.Errorf("%q gives %+v, want an error", bad, got)
		}
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
