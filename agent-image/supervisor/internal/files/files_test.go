package files

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"hamlet.village/hands/internal/process"
)

// folders makes a root and a folder beside it that contains a secret.
func folders(t *testing.T) (root, outside string) {
	t.Helper()
	base := t.TempDir()
	root, outside = filepath.Join(base, "root"), filepath.Join(base, "outside")
	for _, folder := range []string{root, outside} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(outside, "secret"), "secret")
	return root, outside
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func must(t *testing.T, problem *process.Fault) {
	t.Helper()
	if problem != nil {
		t.Fatalf("%s: %s", problem.Code, problem.Message)
	}
}

func wantCode(t *testing.T, what string, problem *process.Fault, codes ...string) {
	t.Helper()
	if problem == nil {
		t.Fatalf("%s: no fault", what)
	}
	if !strings.Contains(strings.Join(codes, " "), problem.Code) {
		t.Fatalf("%s: %s %s", what, problem.Code, problem.Message)
	}
}

func TestWriteReadAndRemove(t *testing.T) {
	root, _ := folders(t)
	at := Place{root, "a/b.txt"}
	_, problem := Write(WriteArgs{Place: at, Data: []byte("one")})
	wantCode(t, "without its folder", problem, "not_found")
	first, problem := Write(WriteArgs{Place: at, Data: []byte("one"), Parents: true, IfSha256: "absent", Mode: 0o755})
	must(t, problem)
	if !first.Created || first.Before != nil {
		t.Fatalf("%+v", first)
	}
	part, problem := Read(ReadArgs{Place: at, Offset: 1, Bytes: 10})
	must(t, problem)
	if string(part.Data) != "ne" || part.Sha256 != first.Sha256 || part.Mode != 0o755 {
		t.Fatalf("%+v", part)
	}
	second, problem := Write(WriteArgs{Place: at, Data: []byte("two"), IfSha256: first.Sha256})
	must(t, problem)
	if second.Created || string(second.Before) != "one" || second.BeforeSha256 != first.Sha256 {
		t.Fatalf("%+v", second)
	}
	if entry, _ := Stat(at); entry.Mode != 0o755 {
		t.Fatalf("a replaced file keeps its mode: %o", entry.Mode)
	}
	_, problem = Write(WriteArgs{Place: at, Data: []byte("three"), IfSha256: first.Sha256})
	wantCode(t, "a content that has changed", problem, "changed")
	_, problem = Remove(RemoveArgs{Place: at, IfSha256: first.Sha256})
	wantCode(t, "a removal of changed content", problem, "changed")
	removed, problem := Remove(RemoveArgs{Place: at, IfSha256: second.Sha256})
	must(t, problem)
	if string(removed.Before) != "two" {
		t.Fatalf("%+v", removed)
	}
	listing, problem := List(Place{root, "a"})
	must(t, problem)
	if len(listing.Entries) != 0 {
		t.Fatalf("nothing stays behind: %+v", listing.Entries)
	}
}

func TestRenameReplacesNothing(t *testing.T) {
	root, _ := folders(t)
	put(t, filepath.Join(root, "a"), "a")
	put(t, filepath.Join(root, "b"), "b")
	wantCode(t, "onto a file", Rename(RenameArgs{Place{root, "a"}, "b"}), "exists")
	must(t, Rename(RenameArgs{Place{root, "a"}, "c"}))
	if get(t, filepath.Join(root, "c")) != "a" {
		t.Fatal("it is not there")
	}
	wantCode(t, "of nothing", Rename(RenameArgs{Place{root, "a"}, "d"}), "not_found")
	wantCode(t, "out of the root", Rename(RenameArgs{Place{root, "c"}, "../outside/c"}), "outside")
}

// escapes are paths that lead, or seem to lead, out of the root.
func escapes(t *testing.T, root, outside string) []string {
	t.Helper()
	links := map[string]string{
		"to-file": filepath.Join(outside, "secret"), "to-folder": outside, "up": "..", "up-file": "../outside/secret",
		"proc": "/proc/self/root", "chain": "up/outside", "deep/back": "../../outside",
	}
	if err := os.Mkdir(filepath.Join(root, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{
		"../outside/secret", "a/../../outside/secret", "deep/../../outside/secret", outside + "/secret", "to-file", "to-folder/secret",
		"up/outside/secret", "up-file", "chain/secret", "deep/back/secret", "proc" + outside + "/secret", "./../outside/secret",
	}
}

func TestNothingEscapes(t *testing.T) {
	root, outside := folders(t)
	for _, path := range escapes(t, root, outside) {
		at := Place{root, path}
		part, problem := Read(ReadArgs{Place: at, Bytes: 100})
		wantCode(t, "read "+path, problem, "outside", "not_found", "failed")
		if len(part.Data) > 0 {
			t.Fatalf("%s was read", path)
		}
		_, problem = Write(WriteArgs{Place: at, Data: []byte("changed"), Parents: true})
		wantCode(t, "write "+path, problem, "outside", "failed", "not_found", "exists")
		wantCode(t, "make "+path, Make(Place{root, path + "/x"}), "outside", "failed", "wrong_kind", "exists", "not_found")
		_, problem = Remove(RemoveArgs{Place: at})
		if problem == nil && !strings.HasPrefix(path, "to-file") && path != "up-file" {
			t.Fatalf("%s was removed", path)
		}
	}
	if get(t, filepath.Join(outside, "secret")) != "secret" {
		t.Fatal("the secret was changed")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Fatalf("files appeared outside: %v", entries)
	}
}

func TestLinkThatChangesMeanwhile(t *testing.T) {
	root, outside := folders(t)
	inside := filepath.Join(root, "inside")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(inside, "secret"), "harmless")
	link := filepath.Join(root, "link")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for at := 0; ; at++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Remove(link)
			_ = os.Symlink([]string{"inside", outside}[at%2], link)
		}
	}()
	for range 3000 {
		at := Place{root, "link/secret"}
		if part, problem := Read(ReadArgs{Place: at, Bytes: 100}); problem == nil && string(part.Data) == "secret" {
			t.Fatal("the secret was read")
		}
		_, _ = Write(WriteArgs{Place: at, Data: []byte("harmless")})
		_, _ = Remove(RemoveArgs{Place: Place{root, "link/other"}})
	}
	close(stop)
	<-stopped
	if get(t, filepath.Join(outside, "secret")) != "secret" {
		t.Fatal("the secret was changed")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Fatalf("files appeared outside: %v", entries)
	}
}

func TestHardLinkKeepsItsOtherContent(t *testing.T) {
	root, outside := folders(t)
	if err := os.Link(filepath.Join(outside, "secret"), filepath.Join(root, "same")); err != nil {
		t.Skip(err)
	}
	_, problem := Write(WriteArgs{Place: Place{root, "same"}, Data: []byte("changed")})
	must(t, problem)
	if get(t, filepath.Join(outside, "secret")) != "secret" {
		t.Fatal("the other link has changed")
	}
}

func TestLinkWithinTheRootIsFollowed(t *testing.T) {
	root, _ := folders(t)
	put(t, filepath.Join(root, "real"), "one")
	if err := os.Symlink("real", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	_, problem := Write(WriteArgs{Place: Place{root, "link"}, Data: []byte("two")})
	must(t, problem)
	if get(t, filepath.Join(root, "real")) != "two" {
		t.Fatal("the linked file has not changed")
	}
	if entry, _ := Stat(Place{root, "link"}); entry.Kind != "link" {
		t.Fatal("the link is gone")
	}
}

func TestDevicesAndPipesAreNoFiles(t *testing.T) {
	root, _ := folders(t)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{"pipe", "."}
	if err := syscall.Mknod(filepath.Join(root, "zero"), syscall.S_IFCHR|0o600, 1<<8|5); err == nil {
		paths = append(paths, "zero")
	}
	for _, path := range paths {
		_, problem := Read(ReadArgs{Place: Place{root, path}, Bytes: 10})
		wantCode(t, "read "+path, problem, "wrong_kind", "denied")
		_, problem = Write(WriteArgs{Place: Place{root, path}, Data: []byte("x")})
		wantCode(t, "write "+path, problem, "wrong_kind", "denied")
	}
}

func TestLimits(t *testing.T) {
	root, _ := folders(t)
	_, problem := Write(WriteArgs{Place: Place{root, "a"}, Data: make([]byte, MaxBytes+1)})
	wantCode(t, "too much", problem, "too_long")
	for _, place := range []Place{{"relative", "a"}, {root + "/", "a"}, {root, ""}, {root, "a\x00b"}, {root, strings.Repeat("a/", 3000)}} {
		_, problem := Stat(place)
		wantCode(t, place.Path, problem, "invalid")
	}
	for at := range maxEntries + 5 {
		put(t, filepath.Join(root, "n"+strconv.Itoa(at)), "")
	}
	listing, problem := List(Place{root, "."})
	must(t, problem)
	if len(listing.Entries) != maxEntries || !listing.More {
		t.Fatalf("%d entries, more: %v", len(listing.Entries), listing.More)
	}
}
