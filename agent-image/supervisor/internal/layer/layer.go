// Package layer counts what programs have written into the file system of the container beside its volumes, and makes room in one that
// is too full before the kubelet evicts the pod.
package layer

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	// overlayMagic is the type of the file system of a container in statfs(2).
	overlayMagic = 0x794c7630
	blockBytes   = 512
	// clockStep is how far the clock of file systems may be behind.
	clockStep = 20 * time.Millisecond
	// maxEntries, maxPending and maxLinked bound a count in a tree that a hostile program has made.
	maxEntries = 4_000_000
	maxPending = 50_000
	maxLinked  = 65_536
	// readAtOnce is the number of names that are read of a folder at one time.
	readAtOnce = 256
)

// Layer is a file system on which everything is of the image that had its last change before a time. No program can set the time of a
// change (ctime), and the image is older than its container.
type Layer struct {
	root  string
	since int64
	// keeps is a folder of the supervisor's own, whose files are counted and never emptied.
	keeps  string
	device uint64
	// isOverlay means that a folder which has not changed has nothing below it that has: an overlay makes all folders above a file once more
	// before it writes there.
	isOverlay bool
	// free is the room of the disk before any program wrote.
	free int64
}

// Open finds the file system of a folder, before any program writes there.
func Open(root, keeps string, since time.Time) (*Layer, error) {
	var stat syscall.Stat_t
	if err := syscall.Lstat(root, &stat); err != nil {
		return nil, err
	}
	var system syscall.Statfs_t
	if err := syscall.Statfs(root, &system); err != nil {
		return nil, err
	}
	return &Layer{
		root: root, keeps: keeps, since: since.Add(-clockStep).UnixNano(), device: stat.Dev,
		isOverlay: int64(system.Type) == overlayMagic, free: roomOf(&system),
	}, nil
}

func roomOf(system *syscall.Statfs_t) int64 { return int64(system.Bfree) * int64(system.Bsize) }

// IsOverlay is true if a count visits changed folders alone. It visits all of another file system.
func (l *Layer) IsOverlay() bool { return l.isOverlay }

// Free is the room on the disk below the layer, in bytes. Others write there too.
func (l *Layer) Free() (int64, error) {
	var system syscall.Statfs_t
	if err := syscall.Statfs(l.root, &system); err != nil {
		return 0, err
	}
	return roomOf(&system), nil
}

// Count adds up what was written since the beginning. It leaves out what has no name any more; its end comes with that of its program.
func (l *Layer) Count() Usage {
	c := counting{layer: l, folders: map[string]int64{}, linked: map[uint64]bool{}, pending: []string{l.root}}
	for len(c.pending) > 0 && c.entries < maxEntries {
		last := len(c.pending) - 1
		folder := c.pending[last]
		c.pending = c.pending[:last]
		c.read(folder)
	}
	return Usage{Bytes: c.bytes, Folders: largestFolders(c.folders), Files: largest(c.files, maxFiles)}
}

type counting struct {
	layer   *Layer
	bytes   int64
	entries int
	pending []string
	folders map[string]int64
	files   []File
	// linked are files with several names that were counted.
	linked map[uint64]bool
}

// read counts the entries of a folder. It follows no link, also if a program puts one in the place of the folder meanwhile.
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
	addTo(c.folders, label, bytes)
	if stat.Mode&syscall.S_IFMT == syscall.S_IFREG && !isIn(path, c.layer.keeps) {
		c.files = append(c.files, File{Path: path, Bytes: bytes, device: stat.Dev, inode: stat.Ino})
		if len(c.files) >= 2*maxFiles {
			c.files = largest(c.files, maxFiles)
		}
	}
}

// isCounted is true for a further name of a file.
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

var errOther = errors.New("another file has its name now")

// Empty cuts the largest files to nothing until no more than a number of bytes is used, and returns those that it cut.
func Empty(usage Usage, until int64) []File {
	emptied := []File{}
	for _, file := range usage.Files {
		if usage.Bytes <= until {
			break
		}
		if file.empty() == nil {
			usage.Bytes -= file.Bytes
			emptied = append(emptied, file)
		}
	}
	return emptied
}

// empty cuts the file that was counted, and no other one that has its name by now.
func (f File) empty() error {
	open, err := os.OpenFile(f.Path, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = open.Close() }()
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(open.Fd()), &stat); err != nil {
		return err
	}
	if stat.Dev != f.device || stat.Ino != f.inode {
		return errOther
	}
	return open.Truncate(0)
}
