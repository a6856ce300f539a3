// Package files reads and changes the files below a folder. It never leaves that folder: not through "..", not through a symbolic
// link, and not through one that appears meanwhile (os.Root resolves each part of a path beneath the folder).
package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hamlet.village/hands/internal/process"
)

const (
	maxPathChars = 4096
	// MaxBytes is the largest file that fits into a message as base64. Programs handle larger files.
	MaxBytes = 512 << 10
)

type Place struct {
	Root string `json:"root"`
	Path string `json:"path"`
}

type Entry struct {
	Name string `json:"name"`
	// Kind is file, folder, link or other. Others (devices, sockets, pipes) are neither read nor written.
	Kind   string `json:"kind"`
	Size   int64  `json:"size"`
	Mode   uint32 `json:"mode"`
	TimeMs int64  `json:"timeMs"`
}

func fault(code, format string, args ...any) *process.Fault {
	return &process.Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// open opens the root of a place after the path is checked.
func (p Place) open() (*os.Root, *process.Fault) {
	switch {
	case !filepath.IsAbs(p.Root) || filepath.Clean(p.Root) != p.Root:
		return nil, fault("invalid", "root must be an absolute path without '.', '..' and a slash at its end")
	case p.Path == "" || len(p.Path) > maxPathChars || strings.ContainsRune(p.Path, 0):
		return nil, fault("invalid", "path must have 1 to %d characters and no NUL", maxPathChars)
	case filepath.IsAbs(p.Path):
		return nil, fault("outside", "path must be relative to %s", p.Root)
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, explain(err, p)
	}
	return root, nil
}

// explain turns an error of the file system into a fault with a fix.
func explain(err error, p Place) *process.Fault {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault("not_found", "%s does not exist", p.Path)
	case errors.Is(err, fs.ErrExist):
		return fault("exists", "%s exists", p.Path)
	case errors.Is(err, fs.ErrPermission):
		return fault("denied", "%s may not be used: %v", p.Path, err)
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return fault("disk_full", "there is no space for %s; remove files that are not needed", p.Path)
	case errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTEMPTY):
		return fault("wrong_kind", "%s has another type: %v", p.Path, err)
	case strings.Contains(err.Error(), "path escapes"):
		return fault("outside", "%s leads out of %s", p.Path, p.Root)
	}
	return fault("failed", "%s: %v", p.Path, err)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

func entryOf(info fs.FileInfo) Entry {
	return Entry{
		Name: info.Name(), Kind: kindOf(info.Mode()), Size: info.Size(),
		Mode: uint32(info.Mode().Perm()), TimeMs: info.ModTime().UnixMilli(),
	}
}

// openFile opens a regular file for reading. Without O_NONBLOCK a pipe would block the request until a program writes to it.
func openFile(root *os.Root, p Place) (*os.File, fs.FileInfo, *process.Fault) {
	file, err := root.OpenFile(p.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, explain(err, p)
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		return file, info, nil
	}
	_ = file.Close()
	if err != nil {
		return nil, nil, explain(err, p)
	}
	return nil, nil, fault("wrong_kind", "%s is a %s, not a file", p.Path, kindOf(info.Mode()))
}

func hashOf(file io.ReadSeeker) (string, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
