package state

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hamlet.village/hands/internal/process"
)

func TestBootsAreCountedWithTheProcessesOfTheLastStart(t *testing.T) {
	folder := t.TempDir()
	Begin(folder).Note([]process.Lost{{}})
	if next := Begin(folder); next.Number != 2 || len(next.Lost) != 1 {
		t.Fatalf("the second start is number %d with %d lost processes", next.Number, len(next.Lost))
	}
}

func TestAFifoOrALinkInPlaceOfTheFileCountsAsNone(t *testing.T) {
	folder := t.TempDir()
	target := filepath.Join(folder, "target")
	if err := os.WriteFile(target, []byte(`{"boots": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"running.json", "running.json.part"} {
		for _, make := range []func(string) error{
			func(path string) error { return syscall.Mkfifo(path, 0o600) },
			func(path string) error { return os.Symlink(target, path) },
		} {
			_ = os.Remove(filepath.Join(folder, "running.json"))
			if err := make(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
			if first := Begin(folder); first.Number != 1 {
				t.Fatalf("%s: the start is number %d", name, first.Number)
			}
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != `{"boots": 7}` {
		t.Fatalf("the target of the link is now %q", text)
	}
}
