// Package layer ends the programs of a container before they fill the container's own file system, for which the kubelet would
// evict the pod.
package layer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// overlayMagic is the type of the file system of a container in statfs(2).
	overlayMagic = 0x794c7630
	blockBytes   = 512
	// clockStep is the maximum lag of a file system's clock.
	clockStep = 20 * time.Millisecond
	// These limit a count in a tree that a hostile program has made.
	maxEntries = 4_000_000
	maxPending = 50_000
	maxLinked  = 65_536
	maxFolders = 4_096
	// readAtOnce is the number of names that one read of a folder returns.
	readAtOnce   = 256
	shownFolders = 3
	pathChars    = 120
	gib          = 1 << 30
)

// Layer counts the files that changed after a time. No program can set the time of a change (ctime), and the image is older than
// its container.
type Layer struct {
	root   string
	since  int64
	device uint64
	// isOverlay means that an unchanged folder has no changed descendants: an overlay copies all folders above a file before it
	// writes there.
	isOverlay bool
	// free is the free space of the disk before any program wrote.
	free int64
}

// Open finds the file system of a folder, before any program writes there.
func Open(root string, since time.Time) (*Layer, error) {
	var stat syscall.Stat_t
	if err := syscall.Lstat(root, &stat); err != nil {
		return nil, err
	}
	var system syscall.Statfs_t
	if err := syscall.Statfs(root, &system); err != nil {
		return nil, err
	}
	return &Layer{
		root: root, since: since.Add(-clockStep).UnixNano(), device: stat.Dev,
		isOverlay: int64(system.Type) == overlayMagic, free: roomOf(&system),
	}, nil
}

func roomOf(system *syscall.Statfs_t) int64 { return int64(system.Bfree) * int64(system.Bsize) }

// IsOverlay is true if a count visits only changed folders. On any other file system it visits all of them.
func (l *Layer) IsOverlay() bool { return l.isOverlay }

type Folder struct {
	Path  string
	Bytes int64
}

// Usage is the data that programs have written into the layer. Folders are the largest ones, largest first.
type Usage struct {
	Bytes   int64
	Folders []Folder
}

// Count adds up the data written since the beginning. It omits deleted files that a program holds open.
func (l *Layer) Count() Usage {
	c := counting{layer: l, folders: map[string]int64{}, linked: map[uint64]bool{}, pending: []string{l.root}}
	for len(c.pending) > 0 && c.entries < maxEntries {
		last := len(c.pending) - 1
		folder := c.pending[last]
		c.pending = c.pending[:last]
		c.read(folder)
	}
	return Usage{Bytes: c.bytes, Folders: largest(c.folders)}
}

type counting struct {
	layer   *Layer
	bytes   int64
	entries int
	pending []string
	folders map[string]int64
	linked  map[uint64]bool
}

// read counts the entries of a folder. It follows no link, even if a program replaces the folder with one meanwhile.
func (c *counting) read(folder string) {
	const flags = os.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	open, err := os.OpenFile(folder, flags, 0)
	if err != nil {
		return
	}
	defer func() { _ = open.Close() }()
	var own syscall.Stat_t
	if syscall.Fstat(int(open.Fd()), &own) != nil || own.Dev != c.layer.device {
		return
	}
	label := labelOf(c.layer.root, folder)
	for {
		names, err := open.Readdirnames(readAtOnce)
		for _, name := range names {
			c.add(strings.TrimSuffix(folder, "/")+"/"+name, label)
		}
		if err != nil || c.entries >= maxEntries {
			return
		}
	}
}

func (c *counting) add(path, label string) {
	c.entries++
	var stat syscall.Stat_t
	if err := syscall.Lstat(path, &stat); err != nil {
		return
	}
	hasChanged := stat.Ctim.Nano() >= c.layer.since
	isFolder := stat.Mode&syscall.S_IFMT == syscall.S_IFDIR
	if isFolder && stat.Dev == c.layer.device && (hasChanged || !c.layer.isOverlay) && len(c.pending) < maxPending {
		c.pending = append(c.pending, path)
	}
	if !hasChanged || (isFolder && stat.Dev != c.layer.device) || c.isCounted(&stat, isFolder) {
		return
	}
	bytes := stat.Blocks * blockBytes
	c.bytes += bytes
	if _, known := c.folders[label]; known || len(c.folders) < maxFolders {
		c.folders[label] += bytes
	}
}

func (c *counting) isCounted(stat *syscall.Stat_t, isFolder bool) bool {
	if isFolder || stat.Nlink <= 1 {
		return false
	}
	if c.linked[stat.Ino] {
		return true
	}
	if len(c.linked) < maxLinked {
		c.linked[stat.Ino] = true
	}
	return false
}

func labelOf(root, folder string) string {
	below, _ := filepath.Rel(root, folder)
	parts := strings.SplitN(below, "/", 3)
	return filepath.Join(root, filepath.Join(parts[:min(2, len(parts))]...))
}

func largest(folders map[string]int64) []Folder {
	all := []Folder{}
	for path, bytes := range folders {
		all = append(all, Folder{path, bytes})
	}
	slices.SortFunc(all, func(a, b Folder) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	return all[:min(shownFolders, len(all))]
}

// words explain to the agent which folders fill the disk, and the fix.
func words(usage Usage, limit int64) string {
	folders := []string{}
	for _, each := range usage.Folders {
		// A program has chosen the path.
		path := strconv.QuoteToASCII(each.Path[:min(pathChars, len(each.Path))])
		folders = append(folders, fmt.Sprintf("%s (%s)", path[1:len(path)-1], size(each.Bytes)))
	}
	return fmt.Sprintf("The disk of the machine (all but /workspace and /root) has %s of at most %s; the most is in %s. All programs were ended. "+
		"Remove files that are not needed, and write large ones to /workspace, which has a disk of its own.",
		size(usage.Bytes), size(limit), strings.Join(folders, ", "))
}

func size(bytes int64) string {
	if bytes < gib {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
}
