package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = content
	}
}

func TestArchiveIsAnImageOfOneProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hello")
	if err := os.WriteFile(program, []byte("binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := Archive(out, "hamlet.local/hello:1", program); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same program gives different bytes")
	}
	files := unpack(t, first.Bytes())
	var manifest []struct{ RepoTags, Layers []string }
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || manifest[0].RepoTags[0] != "hamlet.local/hello:1" {
		t.Fatalf("manifest %s, %v", files["manifest.json"], err)
	}
	layer := files[manifest[0].Layers[0]]
	if content := unpack(t, layer)["hello"]; string(content) != "binary" {
		t.Errorf("the layer holds %q", content)
	}
	sum := sha256.Sum256(layer)
	if !bytes.Contains(files["config.json"], []byte("sha256:"+hex.EncodeToString(sum[:]))) {
		t.Error("the configuration does not name the layer")
	}
}

func TestProgressNamesEachNode(t *testing.T) {
	reads := make([]reading, 2)
	reads[0].node, reads[1].node = "sparky1", "sparky2"
	in := counted{bytes.NewReader(make([]byte, 3*megabyte)), &reads[0].bytes}
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Fatal(err)
	}
	for total, want := range map[int64]string{
		3 * megabyte: "sparky1 unpacks, sparky2 has read 0 of 3 MB",
		9 * megabyte: "sparky1 has read 3, sparky2 has read 0 of 9 MB",
	} {
		if got := progress(reads, total); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

func TestAFolderIsReadAsAnArchive(t *testing.T) {
	folder := t.TempDir()
	blob := filepath.Join("blobs", "sha256", "abc")
	if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(folder, blob)), 0o755),
		os.WriteFile(filepath.Join(folder, blob), []byte("layer"), 0o644),
		os.WriteFile(filepath.Join(folder, "index.json"), []byte("{}"), 0o644)); err != nil {
		t.Fatal(err)
	}
	archive, err := openArchive(folder)
	if err != nil {
		t.Fatal(err)
	}
	read, err := io.ReadAll(archive)
	if err != nil {
		t.Fatal(err)
	}
	if files := unpack(t, read); string(files[blob]) != "layer" || string(files["index.json"]) != "{}" {
		t.Errorf("the archive holds %q", files)
	}
	if _, err := openArchive(filepath.Join(folder, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder gives %v", err)
	}
}
