package pki

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"hamlet.village/cluster/internal/spec"
)

func TestCertificatesServeTheirAddressesAndStay(t *testing.T) {
	s := spec.Spec{State: t.TempDir(), APIHost: "10.89.0.1", APIService: "10.96.0.1", Nodes: []spec.Node{{Name: "sparky1", IP: "10.89.0.11"}}}
	if err := Ensure(s); err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(s.Path("pki", "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	for file, host := range map[string]string{"apiserver": "10.89.0.1", "kubelet-sparky1": "10.89.0.11", "etcd": "127.0.0.1"} {
		pair, err := tls.LoadX509KeyPair(s.Path("pki", file+".crt"), s.Path("pki", file+".key"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots}); err != nil {
			t.Errorf("%s does not serve %s: %v", file, host, err)
		}
	}
	if err := Ensure(s); err != nil {
		t.Fatal(err)
	}
	again, _ := os.ReadFile(s.Path("pki", "ca.crt"))
	if string(again) != string(ca) {
		t.Error("a second start made a new authority: running clients are locked out")
	}
	if _, err := clientcmd.LoadFromFile(s.Kubeconfig()); err != nil {
		t.Error(err)
	}
}
