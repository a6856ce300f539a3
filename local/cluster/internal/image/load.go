package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"hamlet.village/cluster/internal/spec"
)

const dnsProgram = "hamlet-dns"

// Load imports an image archive into every node at the same time.
func Load(s spec.Spec, archive string) error {
	if _, err := os.Stat(archive); err != nil {
		return err
	}
	errs := make([]error, len(s.Nodes))
	var all sync.WaitGroup
	for i, n := range s.Nodes {
		all.Go(func() { errs[i] = LoadNode(s, n, archive) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func LoadNode(s spec.Spec, n spec.Node, archive string) error {
	cmd := exec.Command(s.Program("ctr"), "-a", s.Containerd(n), "-n", "k8s.io", "image", "import", archive)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("import %s on %s: %w: %s", archive, n.Name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// DNSName is the image of the cluster's DNS. The tag is a hash of the program, so an upgrade replaces the running pods.
func DNSName(s spec.Spec) (string, error) {
	binary, err := os.ReadFile(s.Program(dnsProgram))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(binary)
	return "hamlet.local/dns:" + hex.EncodeToString(sum[:6]), nil
}

// LoadOwn packs and imports the images that the cluster itself needs.
func LoadOwn(s spec.Spec, n spec.Node) error {
	dns, err := DNSName(s)
	if err != nil {
		return err
	}
	for name, program := range map[string]string{
		PauseName: "hamlet-pause", dns: dnsProgram, ProbeName: "hamlet-probe",
	} {
		file := s.NodePath(n, program+".tar")
		if err := pack(file, name, s.Program(program)); err != nil {
			return err
		}
		if err := LoadNode(s, n, file); err != nil {
			return err
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

func pack(file, name, program string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(Archive(out, name, program), out.Close())
}
