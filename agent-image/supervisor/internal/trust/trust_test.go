package trust

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func authority(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func place(t *testing.T) Place {
	t.Helper()
	root := t.TempDir()
	return Place{
		Certificate: filepath.Join(root, "ca.crt"),
		Bundle:      filepath.Join(root, "certs/ca-certificates.crt"),
		Added:       filepath.Join(root, "local/hamlet.crt"),
		Home:        filepath.Join(root, "home"),
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := firstOf(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFilesAddsTheAuthorityOnce(t *testing.T) {
	p, known := place(t), authority(t, "known")
	write(t, p.Bundle, strings.TrimSpace(known))
	own := authority(t, "Hamlet meadow")
	write(t, p.Certificate, own)
	for range 2 {
		if is, err := Files(p); !is || err != nil {
			t.Fatal(is, err)
		}
	}
	if got := read(t, p.Bundle); got != known+own {
		t.Fatalf("bundle: %s", got)
	}
	if got := read(t, p.Added); got != own {
		t.Fatalf("added: %s", got)
	}
}

func TestWithoutAnAuthorityNothingChanges(t *testing.T) {
	p := place(t)
	if is, err := Files(p); is || err != nil {
		t.Fatal(is, err)
	}
	if err := Tools(p); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.Bundle); !os.IsNotExist(err) {
		t.Fatal("a bundle was written")
	}
}

func TestToolsLetOpenSSLFindTheAuthority(t *testing.T) {
	p := place(t)
	write(t, p.Certificate, authority(t, "Hamlet meadow"))
	if _, err := Files(p); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.link(); err != nil {
			t.Fatal(err)
		}
	}
	links, err := filepath.Glob(filepath.Join(filepath.Dir(p.Bundle), "*.0"))
	if err != nil || len(links) != 1 {
		t.Fatal(links, err)
	}
	verify := exec.Command("openssl", "verify", "-no-CAfile", "-CApath", filepath.Dir(p.Bundle), p.Certificate)
	if output, err := verify.CombinedOutput(); err != nil {
		t.Fatalf("%s", output)
	}
}
