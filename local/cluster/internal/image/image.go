// Package image packs static programs as container images without a container tool: an image of one file is a tar that
// contains a tar and two small JSON documents.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"sync"

	"hamlet.village/cluster/internal/spec"
)

// PauseName is the image that holds a pod's namespaces open.
const PauseName = "hamlet.local/pause:1"

// ProbeName is the image that the cluster's own tests run.
const ProbeName = "hamlet.local/probe:1"

// unprivileged is the user that images run as unless a pod says otherwise.
const unprivileged = "65532:65532"

// Archive writes an image with one program as its entry point, in the format of `docker save`. Equal programs give
// equal bytes.
func Archive(out io.Writer, name, program string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	file := path.Base(program)
	var layer bytes.Buffer
	if err := pack(&layer, packed{file, binary, 0o755}); err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": []string{"/" + file}, "User": unprivileged, "WorkingDir": "/"},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer.Bytes()))}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{
		{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}},
	})
	if err != nil {
		return err
	}
	return pack(out, packed{"config.json", config, 0o644}, packed{"layer.tar", layer.Bytes(), 0o644}, packed{"manifest.json", manifest, 0o644})
}

type packed struct {
	name    string
	content []byte
	mode    int64
}

func pack(out io.Writer, files ...packed) error {
	w := tar.NewWriter(out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}

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
		out, err := os.Create(file)
		if err != nil {
			return err
		}
		err = errors.Join(Archive(out, name, s.Program(program)), out.Close())
		if err == nil {
			err = LoadNode(s, n, file)
		}
		if err = errors.Join(err, os.Remove(file)); err != nil {
			return err
		}
	}
	return nil
}
