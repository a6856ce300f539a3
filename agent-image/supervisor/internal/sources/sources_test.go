package sources

import (
	"os"
	"path/filepath"
	"testing"
)

const (
	mirrors = "http://mirror.home/debian\nhttp://mirror.home/debian-security/\nhttp://mirror.home/other\n"
	list    = "# Debian\ndeb http://mirror.home/debian bookworm main\ndeb [arch=amd64] http://mirror.home/debian-security bookworm-security main\n"
	deb822  = "Types: deb\nURIs: http://mirror.home/debian/\nSuites: bookworm bookworm-updates\nComponents: main\n"
	foreign = "deb https://tools.example/debian bookworm main\ndeb http://mirror.home/debian-more bookworm main\ndeb http://mirror.home/other bookworm main\n"
)

func place(t *testing.T) Place {
	t.Helper()
	root := t.TempDir()
	return Place{
		Apt:     filepath.Join(root, "etc/apt"),
		Mirrors: filepath.Join(root, "mirrors"),
		Cargo:   filepath.Join(root, ".cargo/config.toml"),
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Fatalf("%s: %s", path, got)
	}
}

func TestLeadLeadsTheArchivesOfTheImageInBothFormsAndNoOthers(t *testing.T) {
	p := place(t)
	write(t, p.Mirrors, mirrors)
	write(t, filepath.Join(p.Apt, "sources.list"), list)
	write(t, filepath.Join(p.Apt, "sources.list.d/debian.sources"), deb822)
	write(t, filepath.Join(p.Apt, "sources.list.d/tools.list"), foreign)
	write(t, filepath.Join(p.Apt, "sources.list.d/notes.txt"), list)
	for range 2 {
		if err := Lead(p); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, filepath.Join(p.Apt, "sources.list"),
		"# Debian\ndeb http://hamlet/apt/debian bookworm main\ndeb [arch=amd64] http://hamlet/apt/debian-security bookworm-security main\n")
	expect(t, filepath.Join(p.Apt, "sources.list.d/debian.sources"),
		"Types: deb\nURIs: http://hamlet/apt/debian\nSuites: bookworm bookworm-updates\nComponents: main\n")
	expect(t, filepath.Join(p.Apt, "sources.list.d/tools.list"), foreign)
	expect(t, filepath.Join(p.Apt, "sources.list.d/notes.txt"), list)
	expect(t, p.Cargo, crates)
}

func TestLeadKeepsSettingsOfCargoThatAreThere(t *testing.T) {
	p := place(t)
	write(t, p.Mirrors, mirrors)
	write(t, p.Cargo, "[net]\noffline = true\n")
	if err := Lead(p); err != nil {
		t.Fatal(err)
	}
	expect(t, p.Cargo, "[net]\noffline = true\n")
}

func TestLeadChangesNothingOfAMachineThatIsNoImageOfAgents(t *testing.T) {
	p := place(t)
	write(t, filepath.Join(p.Apt, "sources.list"), list)
	if err := Lead(p); err != nil {
		t.Fatal(err)
	}
	expect(t, filepath.Join(p.Apt, "sources.list"), list)
	if _, err := os.Stat(p.Cargo); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

func TestLeadReportsAFileThatItCannotWrite(t *testing.T) {
	p := place(t)
	write(t, p.Mirrors, mirrors)
	write(t, filepath.Dir(p.Cargo), "no folder")
	if err := Lead(p); err == nil {
		t.Fatal("no failure")
	}
}
