// Package image packs static programs as container images without a container tool: an image of one file is a tar that
// contains a tar and two small JSON documents.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path"
	"runtime"
)

// PauseName is the image that holds a pod's namespaces open.
const PauseName = "hamlet.local/pause:1"

// ProbeName is the image that the cluster's own tests run.
const ProbeName = "hamlet.local/probe:1"

// nobody is the user that images run as unless a pod says otherwise.
const unprivileged = "65532:65532"

// Archive writes an image with one program as its entry point, in the format of `docker save`. Equal programs give
// equal bytes.
func Archive(out io.Writer, name, program string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	entry := "/" + path.Base(program)
	layer, err := packFiles([]packed{{name: entry[1:], content: binary, mode: 0o755}})
	if err != nil {
		return err
	}
	digest := sha256.Sum256(layer)
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": []string{entry}, "User": unprivileged, "WorkingDir": "/"},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(digest[:])}},
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
	archive, err := packFiles([]packed{
		{name: "config.json", content: config, mode: 0o644},
		{name: "layer.tar", content: layer, mode: 0o644},
		{name: "manifest.json", content: manifest, mode: 0o644},
	})
	if err != nil {
		return err
	}
	_, err = out.Write(archive)
	return err
}

type packed struct {
	name    string
	content []byte
	mode    int64
}

func packFiles(files []packed) ([]byte, error) {
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
