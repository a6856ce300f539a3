// Package trust makes the programs of the container trust the village's authority, under which the broker inspects their
// requests. The certificate is public, so the agent may read it.
package trust

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxBytes = 64 << 10
	// toolTime is the timeout of one tool; on a fraction of a processor a new database of NSS takes seconds.
	toolTime = time.Minute
	// maxLinks is the maximum number of links of one subject: OpenSSL tries HASH.0, HASH.1 and so on.
	maxLinks = 10
)

type Place struct {
	// Certificate is the PEM file of the authority. Without it there is nothing to do.
	Certificate string
	// Bundle contains the roots of the system in one PEM file.
	Bundle string
	// Added is where update-ca-certificates finds further roots, so that its next run keeps this one.
	Added string
	// Home contains the database of NSS, for Chromium.
	Home string
}

func System(certificate, home string) Place {
	return Place{
		Certificate: certificate,
		Bundle:      "/etc/ssl/certs/ca-certificates.crt",
		Added:       "/usr/local/share/ca-certificates/hamlet.crt",
		Home:        home,
	}
}

func (p Place) read() ([]byte, error) {
	file, err := os.Open(p.Certificate)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxBytes))
	return bytes.TrimSpace(text), err
}

// Files adds the authority to the roots of the system. It reports whether there is an authority.
func Files(p Place) (bool, error) {
	certificate, err := p.read()
	if err != nil || len(certificate) == 0 {
		return false, err
	}
	line := append(certificate, '\n')
	if err := os.MkdirAll(filepath.Dir(p.Added), 0o755); err != nil {
		return true, err
	}
	if err := os.WriteFile(p.Added, line, 0o644); err != nil {
		return true, err
	}
	bundle, err := os.ReadFile(p.Bundle)
	if err != nil && !os.IsNotExist(err) {
		return true, err
	}
	if bytes.Contains(bundle, certificate) {
		return true, nil
	}
	if err := os.MkdirAll(filepath.Dir(p.Bundle), 0o755); err != nil {
		return true, err
	}
	if len(bundle) > 0 && bundle[len(bundle)-1] != '\n' {
		bundle = append(bundle, '\n')
	}
	part := p.Bundle + ".part"
	if err := os.WriteFile(part, append(bundle, line...), 0o644); err != nil {
		return true, err
	}
	return true, os.Rename(part, p.Bundle)
}

// Tools adds the authority where only a tool can: OpenSSL's links by hash, and the database of NSS. If the image lacks a tool, it
// has no programs that would need it.
func Tools(p Place) error {
	certificate, err := p.read()
	if err != nil || len(certificate) == 0 {
		return err
	}
	return firstOf(p.link(), p.addToNss(certificate))
}

func firstOf(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func run(name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), toolTime)
	defer cancel()
	output, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, bytes.TrimSpace(output))
	}
	return strings.TrimSpace(string(output)), nil
}

// link makes the link by which OpenSSL finds the certificate in the folder of the roots.
func (p Place) link() error {
	hash, err := run("openssl", "x509", "-noout", "-hash", "-in", p.Added)
	if err != nil || hash == "" {
		return err
	}
	for i := range maxLinks {
		link := filepath.Join(filepath.Dir(p.Bundle), fmt.Sprintf("%s.%d", hash, i))
		err := os.Symlink(p.Added, link)
		if err == nil {
			return nil
		}
		if target, failure := os.Readlink(link); failure == nil && target == p.Added {
			return nil
		}
		if !os.IsExist(err) {
			return err
		}
	}
	return nil
}

// addToNss adds the certificate to Chromium's database. The database is on the agent's volume, so a note beside it records which
// certificate it contains.
func (p Place) addToNss(certificate []byte) error {
	if _, err := exec.LookPath("certutil"); err != nil {
		return nil
	}
	folder := filepath.Join(p.Home, ".pki/nssdb")
	sum := sha256.Sum256(certificate)
	note, now := filepath.Join(folder, "hamlet-ca.sha256"), hex.EncodeToString(sum[:])
	if known, err := os.ReadFile(note); err == nil && string(known) == now {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	database := "sql:" + folder
	if _, err := os.Stat(filepath.Join(folder, "cert9.db")); os.IsNotExist(err) {
		if _, err := run("certutil", "-N", "-d", database, "--empty-password"); err != nil {
			return err
		}
	}
	_, _ = run("certutil", "-D", "-d", database, "-n", "hamlet")
	if _, err := run("certutil", "-A", "-d", database, "-t", "C,,", "-n", "hamlet", "-i", p.Certificate); err != nil {
		return err
	}
	return os.WriteFile(note, []byte(now), 0o600)
}
