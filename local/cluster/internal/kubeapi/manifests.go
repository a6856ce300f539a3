package kubeapi

import (
	_ "embed"
	"strings"

	"hamlet.village/cluster/internal/image"
	"hamlet.village/cluster/internal/spec"
)

//go:embed base.yaml
var baseManifests string

//go:embed dns.yaml
var dnsManifests string

// Manifests are the objects that every cluster starts with. DNS only where there
// are nodes to run it.
func Manifests(s spec.Spec) (string, error) {
	if s.Profile != spec.ProfileFull {
		return baseManifests, nil
	}
	name, err := image.DNSName(s)
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("${DNS_SERVICE}", s.DNSService, "${DNS_IMAGE}", name).Replace(baseManifests + "---\n" + dnsManifests), nil
}
