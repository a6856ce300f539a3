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
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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

// reportEvery is the time between two lines about an import.
const reportEvery = 2 * time.Second

// Load imports images into every node at the same time, from an archive or from the folder of an OCI layout, and reports
// the progress in lines.
func Load(s spec.Spec, source string, report func(string)) error {
	total, err := sizeOf(source)
	if err != nil {
		return err
	}
	errs := make([]error, len(s.Nodes))
	reads := make([]reading, len(s.Nodes))
	var all sync.WaitGroup
	for i, n := range s.Nodes {
		reads[i].node = n.Name
		all.Go(func() { errs[i] = loadNode(s, n, source, &reads[i].bytes) })
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	for ticks := time.Tick(reportEvery); ; {
		select {
		case <-done:
			return errors.Join(errs...)
		case <-ticks:
			report(progress(reads, total))
		}
	}
}

// reading counts the bytes of an archive that a node has read.
type reading struct {
	node  string
	bytes atomic.Int64
}

const megabyte = 1_000_000

// progress says how far each node is; a node that has read the whole archive still unpacks it.
func progress(reads []reading, total int64) string {
	parts := make([]string, len(reads))
	for i := range reads {
		read := reads[i].bytes.Load()
		if read < total {
			parts[i] = fmt.Sprintf("%s has read %d", reads[i].node, read/megabyte)
		} else {
			parts[i] = reads[i].node + " unpacks"
		}
	}
	return fmt.Sprintf("%s of %d MB", strings.Join(parts, ", "), total/megabyte)
}

// LoadNode imports images into one node.
func LoadNode(s spec.Spec, n spec.Node, source string) error {
	return loadNode(s, n, source, new(atomic.Int64))
}

// Containerd keeps only the unpacked layers: their archives would take as much room again.
func loadNode(s spec.Spec, n spec.Node, source string, read *atomic.Int64) error {
	archive, err := openArchive(source)
	if err != nil {
		return err
	}
	defer archive.Close()
	cmd := exec.Command(s.Program("ctr"), "-a", s.Containerd(n), "-n", "k8s.io",
		"image", "import", "--local", "--discard-unpacked-layers", "-")
	cmd.Stdin = counted{archive, read}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("import %s on %s: %w: %s", source, n.Name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// counted counts the bytes that pass a reader.
type counted struct {
	io.Reader
	bytes *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

// sizeOf is the size of a file, or of all files in a folder.
func sizeOf(source string) (total int64, err error) {
	err = filepath.WalkDir(source, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// openArchive reads an archive. A folder becomes one while it is read, which avoids a copy on disk.
func openArchive(source string) (io.ReadCloser, error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return os.Open(source)
	}
	reader, writer := io.Pipe()
	go func() {
		w := tar.NewWriter(writer)
		writer.CloseWithError(errors.Join(w.AddFS(os.DirFS(source)), w.Close()))
	}()
	return reader, nil
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
