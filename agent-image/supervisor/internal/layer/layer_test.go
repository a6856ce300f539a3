package layer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const mib = 1 << 20

// inOwnMounts marks the process that may mount, because its mounts disappear when it ends.
const inOwnMounts = "HAMLET_LAYER_TEST_MOUNTS"

// TestMain runs the tests in their own mount namespace; without root, also in a user namespace.
func TestMain(m *testing.M) {
	if os.Getenv(inOwnMounts) != "" {
		os.Exit(m.Run())
	}
	self := exec.Command(os.Args[0], os.Args[1:]...)
	self.Env = append(os.Environ(), inOwnMounts+"=1")
	self.Stdout, self.Stderr = os.Stdout, os.Stderr
	self.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		self.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		self.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		self.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := self.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// container is an overlay as a runtime makes it: an image below, and the layer of the container above.
type container struct {
	t           *testing.T
	root, upper string
}

func mount(t *testing.T, source, target, kind, data string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, 0, data); err != nil {
		t.Fatalf("mount %s: %v", kind, err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
}

func newContainer(t *testing.T) *container {
	t.Helper()
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	mount(t, "disk", disk, "tmpfs", "size=256m")
	part := func(name string) string { return filepath.Join(disk, name) }
	for _, name := range []string{"image/usr/lib/deep", "image/tmp", "upper", "work", "root"} {
		if err := os.MkdirAll(part(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, part("image/usr/lib/deep/program"), 4*mib)
	write(t, part("image/usr/lib/other"), 4*mib)
	time.Sleep(2 * clockStep)
	mount(t, "overlay", part("root"), "overlay", fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", part("image"), part("upper"), part("work")))
	return &container{t: t, root: part("root"), upper: part("upper")}
}

func write(t *testing.T, path string, bytes int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, bytes), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c *container) path(name string) string { return filepath.Join(c.root, name) }

func (c *container) layer(began time.Time) *Layer {
	c.t.Helper()
	layer, err := Open(c.root, began)
	if err != nil {
		c.t.Fatal(err)
	}
	return layer
}

// upperBytes is the use as the kubelet counts it: du of the upper folder.
func (c *container) upperBytes() int64 {
	c.t.Helper()
	out, err := exec.Command("du", "-s", "--block-size=1", c.upper).Output()
	if err != nil {
		c.t.Fatal(err)
	}
	var bytes int64
	if _, err := fmt.Sscan(string(out), &bytes); err != nil {
		c.t.Fatal(err)
	}
	return bytes
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestCountIsThatOfTheLayer(t *testing.T) {
	c := newContainer(t)
	layer := c.layer(time.Now())
	expect(t, "an overlay", layer.isOverlay, true)
	expect(t, "nothing of the image", layer.Count().Bytes, 0)

	write(t, c.path("usr/lib/deep/more/new"), 3*mib)
	write(t, c.path("tmp/b"), 2*mib)
	if err := os.Chmod(c.path("usr/lib/other"), 0o600); err != nil { // copies the file up
		t.Fatal(err)
	}
	for _, name := range []string{"tmp/link-1", "tmp/link-2"} {
		if err := os.Link(c.path("tmp/b"), c.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/usr/lib", c.path("tmp/away")); err != nil {
		t.Fatal(err)
	}
	mounted := c.path("volume")
	if err := os.Mkdir(mounted, 0o755); err != nil {
		t.Fatal(err)
	}
	mount(t, "volume", mounted, "tmpfs", "size=64m")
	write(t, filepath.Join(mounted, "large"), 16*mib)
	usage := layer.Count()
	expect(t, "the same as the kubelet counts", usage.Bytes, c.upperBytes())
	expect(t, "three files", usage.Bytes, 9*mib)
	expect(t, "the largest folder", usage.Folders[0], Folder{Path: c.path("usr/lib"), Bytes: 7 * mib})

	if err := os.Remove(c.path("usr/lib/other")); err != nil {
		t.Fatal(err)
	}
	expect(t, "a removed file of the image", layer.Count().Bytes, c.upperBytes())
}

func TestTimesThatProgramsSetHideNothing(t *testing.T) {
	c := newContainer(t)
	layer := c.layer(time.Now())
	write(t, c.path("tmp/old"), mib)
	for _, name := range []string{"tmp/old", "tmp"} {
		if err := os.Chtimes(c.path(name), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, "the file", layer.Count().Bytes, mib)
}

func TestCountOfAPlainFolder(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a/b/old"), mib)
	time.Sleep(2 * clockStep)
	layer, err := Open(root, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	// Only the nearest folder has changed; the folders above it do not show that.
	write(t, filepath.Join(root, "a/b/new"), 2*mib)
	expect(t, "new files alone", layer.Count().Folders[0], Folder{filepath.Join(root, "a/b"), 2 * mib})
}

func TestWordsAreBoundedAndHarmless(t *testing.T) {
	path := "/tmp/\n\x1b[31m" + strings.Repeat("é", 3_000)
	usage := Usage{Bytes: 3 << 30, Folders: []Folder{{path, 3 << 30}}}
	text := words(usage, 4<<30)
	if len(text) > 1_000 || strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("%d characters: %.300q", len(text), text)
	}
	for _, part := range []string{"3.0 GiB of at most 4.0 GiB", "Remove files"} {
		expect(t, part, strings.Contains(text, part), true)
	}
}

// used is the usage at each count. ends is true where the count ends the programs; left is the usage after that.
func TestThreshold(t *testing.T) {
	for name, story := range map[string]struct {
		used, left []int64
		ends       []bool
	}{
		"it fills slowly, then programs clean up": {
			used: []int64{300, 799, 805, 800, 750, 790}, left: []int64{0, 0, 805, 0, 0, 0}, ends: []bool{false, false, true, false, false, false},
		},
		"it grows by another step above the mark": {
			used: []int64{805, 835, 836, 840}, left: []int64{805, 0, 836, 0}, ends: []bool{true, false, true, false},
		},
		"just below the limit each growth ends programs": {
			used: []int64{985, 986, 999}, left: []int64{985, 986, 999}, ends: []bool{true, true, true},
		},
		"after a cleanup the mark applies again": {
			used: []int64{870, 810, 840, 841}, left: []int64{870, 0, 0, 841}, ends: []bool{true, false, false, true},
		},
	} {
		mark := thresholdOf(1_000)
		for at, used := range story.used {
			isPassed := mark.isPassed(used)
			if isPassed {
				mark.raise(story.left[at])
			}
			expect(t, fmt.Sprintf("%s: at %d of %v", name, at, story.used), isPassed, story.ends[at])
		}
	}
	expect(t, "a step of a tiny limit", thresholdOf(3).step, 1)
}

// Counts a large layer, and a tree of the image that has not changed.
func BenchmarkCount(b *testing.B) {
	root := b.TempDir()
	for i := range 200 {
		folder := filepath.Join(root, fmt.Sprint(i))
		_ = os.Mkdir(folder, 0o755)
		for j := range 100 {
			_ = os.WriteFile(filepath.Join(folder, fmt.Sprint(j)), []byte("x"), 0o644)
		}
	}
	layer, err := Open(root, time.Now().Add(-time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		layer.Count()
	}
}
