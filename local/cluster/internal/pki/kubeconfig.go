package pki

import (
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"hamlet.village/cluster/internal/spec"
)

// kubeconfig is one file to write: its identity and path.
type kubeconfig struct {
	identity string
	path     string
}

func kubeconfigs(s spec.Spec) []kubeconfig {
	list := []kubeconfig{{identity: "admin", path: s.Kubeconfig()}}
	for _, name := range []string{"controller-manager", "scheduler", "kube-proxy", "addons", "netpol"} {
		list = append(list, kubeconfig{identity: name, path: File(s, name)})
	}
	for _, n := range s.Nodes {
		list = append(list, kubeconfig{identity: "node-" + n.Name, path: File(s, "node-"+n.Name)})
	}
	return list
}

func File(s spec.Spec, name string) string { return s.Path("pki", name+".kubeconfig") }

func writeKubeconfig(s spec.Spec, ca []byte, k kubeconfig) error {
	cert, err := os.ReadFile(s.Path("pki", k.identity+".crt"))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(s.Path("pki", k.identity+".key"))
	if err != nil {
		return err
	}
	const cluster = "hamlet"
	config := clientcmdapi.NewConfig()
	config.Clusters[cluster] = &clientcmdapi.Cluster{Server: s.Server(), CertificateAuthorityData: ca}
	config.AuthInfos[k.identity] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	config.Contexts[cluster] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: k.identity}
	config.CurrentContext = cluster
	raw, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return spec.WriteFile(k.path, raw, 0o600)
}
