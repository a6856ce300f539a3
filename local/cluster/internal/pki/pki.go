// Package pki makes the certificates, keys and kubeconfigs of a local cluster. They live as long as the cluster's state
// folder, and only the cluster trusts them.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"hamlet.village/cluster/internal/spec"
)

// lifetime of every certificate: longer than any throw-away cluster.
const lifetime = 10 * 365 * 24 * time.Hour

// identity is one certificate: its subject and the hosts that it may serve.
type identity struct {
	file   string
	name   string
	groups []string
	hosts  []string
	// kubeconfig is the path of a kubeconfig for the identity, or empty.
	kubeconfig string
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func File(s spec.Spec, name string) string { return s.Path("pki", name+".kubeconfig") }

// Ensure makes a new authority and writes STATE/pki and all kubeconfigs. It writes STATE/pki/complete last and does
// nothing if that file exists, so clients keep working when a cluster is repaired.
func Ensure(s spec.Spec) error {
	if _, err := os.Stat(s.Path("pki", "complete")); err == nil {
		return nil
	}
	ca, err := newAuthority()
	if err != nil {
		return err
	}
	if _, err := writePair(s, "ca", ca.key, ".crt", ca.pem); err != nil {
		return err
	}
	for _, id := range identities(s) {
		if err := ca.issue(s, id); err != nil {
			return fmt.Errorf("certificate %s: %w", id.file, err)
		}
	}
	if err := writeServiceAccountKey(s); err != nil {
		return fmt.Errorf("service account key: %w", err)
	}
	return spec.WriteFile(s.Path("pki", "complete"), nil, 0o600)
}

func identities(s spec.Spec) []identity {
	client := func(file, name string, groups ...string) identity {
		return identity{file: file, name: name, groups: groups, kubeconfig: File(s, file)}
	}
	ids := []identity{
		{file: "apiserver", name: "kube-apiserver", hosts: []string{
			s.APIHost, "127.0.0.1", s.APIService, "localhost", "kubernetes", "kubernetes.default",
			"kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}},
		{file: "apiserver-kubelet-client", name: "kube-apiserver-kubelet-client", groups: []string{"system:masters"}},
		{file: "etcd", name: "etcd", hosts: []string{"127.0.0.1", "localhost"}},
		{file: "etcd-client", name: "kube-apiserver-etcd-client"},
		{file: "front-proxy-client", name: "front-proxy-client"},
		{file: "admin", name: "kubernetes-admin", groups: []string{"system:masters"}, kubeconfig: s.Kubeconfig()},
		client("controller-manager", "system:kube-controller-manager"),
		client("scheduler", "system:kube-scheduler"),
		client("kube-proxy", "system:kube-proxy"),
		client("addons", "hamlet:addons"),
		client("netpol", "hamlet:netpol"),
	}
	for _, n := range s.Nodes {
		ids = append(ids,
			client("node-"+n.Name, "system:node:"+n.Name, "system:nodes"),
			identity{file: "kubelet-" + n.Name, name: n.Name, hosts: []string{n.Name, n.IP, "127.0.0.1"}})
	}
	return ids
}

func newAuthority() (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	template := newTemplate(identity{name: "hamlet-cluster-ca"})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = nil
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return authority{}, err
	}
	cert, err := x509.ParseCertificate(der)
	return authority{cert: cert, key: key, pem: encode("CERTIFICATE", der)}, err
}

func (ca authority) issue(s spec.Spec, id identity) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, newTemplate(id), ca.cert, &key.PublicKey, ca.key)
	if err != nil {
		return err
	}
	cert := encode("CERTIFICATE", der)
	private, err := writePair(s, id.file, key, ".crt", cert)
	if err != nil || id.kubeconfig == "" {
		return err
	}
	const cluster = "hamlet"
	config := clientcmdapi.NewConfig()
	config.Clusters[cluster] = &clientcmdapi.Cluster{Server: s.Server(), CertificateAuthorityData: ca.pem}
	config.AuthInfos[id.file] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: private}
	config.Contexts[cluster] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: id.file}
	config.CurrentContext = cluster
	raw, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return spec.WriteFile(id.kubeconfig, raw, 0o600)
}

// newTemplate has no serial number: x509 chooses a random one.
func newTemplate(id identity) *x509.Certificate {
	t := &x509.Certificate{
		Subject: pkix.Name{CommonName: id.name, Organization: id.groups},
		// Valid from an hour ago, in case the machine's clock is set back after the start.
		NotBefore:   time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(lifetime),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	for _, host := range id.hosts {
		if ip := net.ParseIP(host); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, host)
		}
	}
	return t
}

// writeServiceAccountKey creates the key pair for the tokens of pods.
func writeServiceAccountKey(s spec.Spec) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	_, err = writePair(s, "service-account", key, ".pub", encode("PUBLIC KEY", public))
	return err
}

// writePair writes a private key, and its certificate or public key beside it. It returns the private key.
func writePair(s spec.Spec, name string, key *ecdsa.PrivateKey, suffix string, public []byte) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	private := encode("EC PRIVATE KEY", der)
	if err := spec.WriteFile(s.Path("pki", name+".key"), private, 0o600); err != nil {
		return nil, err
	}
	return private, spec.WriteFile(s.Path("pki", name+suffix), public, 0o644)
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
