// Package sources directs the package managers of the container to the endpoints of the broker, so that the village's switch
// applies, and a program shows the message of a disabled switch. pip, npm and Go read variables for this; apt and cargo only read
// files.
package sources

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	maxBytes   = 1 << 20
	maxMirrors = 16
	// endpoint is the broker's address for programs that use the proxy of the pod.
	endpoint = "http://hamlet/"
)

// crates replaces the usual index of cargo. A file closer to a project, or a flag, overrides it.
const crates = `[source.crates-io]
replace-with = "village"

[source.village]
registry = "sparse+` + endpoint + `crates/"
`

type Place struct {
	// Apt is the folder of apt's settings.
	Apt string
	// Mirrors lists the archives of Debian from which the image was built, one address a line. Other archives, which an image may
	// add, stay unchanged. Without the file the image is not an agents' image, and nothing changes.
	Mirrors string
	// Cargo is the settings file of cargo above every folder of the agent.
	Cargo string
}

func System() Place {
	return Place{Apt: "/etc/apt", Mirrors: "/etc/hamlet/apt-mirrors", Cargo: "/.cargo/config.toml"}
}

// Lead changes the files. It leaves a file alone if it was already changed or a program created it.
func Lead(p Place) error {
	mirrors, err := read(p.Mirrors)
	if err != nil || mirrors == nil {
		return err
	}
	return errors.Join(p.leadApt(strings.Fields(string(mirrors))), p.leadCargo())
}

func (p Place) leadApt(mirrors []string) error {
	files := []string{filepath.Join(p.Apt, "sources.list")}
	for _, pattern := range []string{"*.list", "*.sources"} {
		more, _ := filepath.Glob(filepath.Join(p.Apt, "sources.list.d", pattern))
		files = append(files, more...)
	}
	var failures error
	for _, file := range files {
		failures = errors.Join(failures, lead(file, mirrors))
	}
	return failures
}

// lead replaces addresses of mirrors that are whole words, as in both forms of a list of sources.
func lead(file string, mirrors []string) error {
	text, err := read(file)
	if err != nil || len(text) == 0 {
		return err
	}
	led := text
	for _, mirror := range mirrors[:min(len(mirrors), maxMirrors)] {
		if archive := archiveOf(mirror); archive != "" {
			led = replaceWord(led, mirror, endpoint+"apt/"+archive)
		}
	}
	if bytes.Equal(led, text) {
		return nil
	}
	return replace(file, led)
}

// archiveOf returns the archive behind an address, or empty if the address is not a Debian archive: every mirror uses these
// paths.
func archiveOf(mirror string) string {
	switch archive := path.Base(mirror); archive {
	case "debian", "debian-security":
		return archive
	default:
		return ""
	}
}

func replaceWord(text []byte, word, by string) []byte {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		words := strings.Split(line, " ")
		for j := range words {
			if strings.TrimRight(words[j], "/") == strings.TrimRight(word, "/") {
				words[j] = by
			}
		}
		lines[i] = strings.Join(words, " ")
	}
	return []byte(strings.Join(lines, "\n"))
}

func (p Place) leadCargo() error {
	if _, err := os.Lstat(p.Cargo); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Cargo), 0o755); err != nil {
		return err
	}
	return replace(p.Cargo, []byte(crates))
}

func read(file string) ([]byte, error) {
	facts, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) || (err == nil && (!facts.Mode().IsRegular() || facts.Size() > maxBytes)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

func replace(file string, content []byte) error {
	part := file + ".part"
	if err := os.WriteFile(part, content, 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}
