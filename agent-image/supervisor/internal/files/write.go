package files

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hamlet.village/hands/internal/process"
)

const (
	defaultMode   = 0o644
	folderMode    = 0o755
	temporaryName = ".hamlet-write-"
)

type WriteArgs struct {
	Place
	Data []byte `json:"data"`
	// IfSha256 is the hash of the content that the caller has seen, or "absent". Empty: any content is replaced.
	IfSha256 string `json:"ifSha256,omitempty"`
	// Mode of a new file; an existing one keeps its own. 0644 by default.
	Mode uint32 `json:"mode,omitempty"`
	// Parents makes the folders above a new file.
	Parents bool `json:"parents,omitempty"`
}

// Written is the result of a write, with the former content, so that a caller can show the difference or undo it.
type Written struct {
	Created bool   `json:"created"`
	Sha256  string `json:"sha256"`
	Size    int64  `json:"size"`
	// Before is the former content; absent if there was none or it has more than 512 KiB.
	Before       []byte `json:"before,omitempty"`
	BeforeSha256 string `json:"beforeSha256,omitempty"`
	BeforeSize   int64  `json:"beforeSize,omitempty"`
}

type former struct {
	info   fs.FileInfo
	sha256 string
	data   []byte
}

func readFormer(root *os.Root, p Place) (*former, *process.Fault) {
	file, info, problem := openFile(root, p)
	if problem != nil && problem.Code == "not_found" {
		return nil, nil
	}
	if problem != nil {
		return nil, problem
	}
	defer func() { _ = file.Close() }()
	hash, err := hashOf(file)
	if err != nil {
		return nil, explain(err, p)
	}
	before := &former{info: info, sha256: hash}
	if info.Size() <= MaxBytes {
		before.data = make([]byte, info.Size())
		if _, err := file.ReadAt(before.data, 0); err != nil && info.Size() > 0 {
			return nil, explain(err, p)
		}
	}
	return before, nil
}

// matches compares the content that the caller has seen with the current one.
func matches(seen string, before *former) bool {
	switch {
	case seen == "":
		return true
	case before == nil:
		return seen == "absent"
	}
	return seen == before.sha256
}

// Write replaces a whole file: a reader sees the former content or the new one, even after a crash. It writes a new file and
// renames it, so a file outside the root that shares a hard link keeps its content.
func Write(a WriteArgs) (Written, *process.Fault) {
	if len(a.Data) > MaxBytes {
		return Written{}, fault("too_long", "a file of more than %d bytes is written by a program, or in parts", MaxBytes)
	}
	root, problem := a.open()
	if problem != nil {
		return Written{}, problem
	}
	defer func() { _ = root.Close() }()
	before, problem := readFormer(root, a.Place)
	if problem != nil {
		return Written{}, problem
	}
	if !matches(a.IfSha256, before) {
		return Written{}, fault("changed", "%s has changed since it was read; read it again", a.Path)
	}
	if problem := replace(root, a, before); problem != nil {
		return Written{}, problem
	}
	sum := sha256.Sum256(a.Data)
	done := Written{Created: before == nil, Sha256: hex.EncodeToString(sum[:]), Size: int64(len(a.Data))}
	if before != nil {
		done.Before, done.BeforeSha256, done.BeforeSize = before.data, before.sha256, before.info.Size()
	}
	return done, nil
}

// target resolves symbolic links within the root, so that a write through a link changes the linked file.
func target(root *os.Root, path string) (string, error) {
	for range 20 {
		link, err := root.Readlink(path)
		if err != nil {
			return path, nil
		}
		if filepath.IsAbs(link) {
			return "", errors.New("path escapes from parent")
		}
		path = filepath.Join(filepath.Dir(path), link)
	}
	return "", errors.New("too many links")
}

func replace(root *os.Root, a WriteArgs, before *former) *process.Fault {
	path, err := target(root, a.Path)
	if err != nil {
		return explain(err, a.Place)
	}
	folder := filepath.Dir(path)
	if a.Parents && before == nil {
		if err := root.MkdirAll(folder, folderMode); err != nil {
			return explain(err, a.Place)
		}
	}
	mode := fs.FileMode(defaultMode)
	switch {
	case before != nil:
		mode = before.info.Mode().Perm()
	case a.Mode != 0:
		mode = fs.FileMode(a.Mode).Perm()
	}
	temporary := filepath.Join(folder, temporaryName+rand.Text())
	if err := writeFile(root, temporary, a.Data, mode); err != nil {
		_ = root.Remove(temporary)
		return explain(err, a.Place)
	}
	if err := root.Rename(temporary, path); err != nil {
		_ = root.Remove(temporary)
		return explain(err, a.Place)
	}
	return nil
}

func writeFile(root *os.Root, path string, data []byte, mode fs.FileMode) error {
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = bytes.NewReader(data).WriteTo(file)
	// The process's umask must not decide about the mode of an agent's file.
	return errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
}

// Make makes a folder, with those above it. An existing one stays unchanged.
func Make(p Place) *process.Fault {
	root, problem := p.open()
	if problem != nil {
		return problem
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(p.Path, folderMode); err != nil {
		return explain(err, p)
	}
	return nil
}

type RemoveArgs struct {
	Place
	IfSha256 string `json:"ifSha256,omitempty"`
}

type Removed struct {
	Entry
	Before       []byte `json:"before,omitempty"`
	BeforeSha256 string `json:"beforeSha256,omitempty"`
}

// Remove removes one file, link or empty folder.
func Remove(a RemoveArgs) (Removed, *process.Fault) {
	root, problem := a.open()
	if problem != nil {
		return Removed{}, problem
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(a.Path)
	if err != nil {
		return Removed{}, explain(err, a.Place)
	}
	done := Removed{Entry: entryOf(info)}
	if info.Mode().IsRegular() {
		before, problem := readFormer(root, a.Place)
		if problem != nil {
			return Removed{}, problem
		}
		if !matches(a.IfSha256, before) {
			return Removed{}, fault("changed", "%s has changed since it was read; read it again", a.Path)
		}
		if before != nil {
			done.Before, done.BeforeSha256 = before.data, before.sha256
		}
	}
	if err := root.Remove(a.Path); err != nil {
		return Removed{}, explain(err, a.Place)
	}
	return done, nil
}

type RenameArgs struct {
	Place
	To string `json:"to"`
}

// Rename moves a file or folder within its root. It replaces nothing.
func Rename(a RenameArgs) *process.Fault {
	to := Place{Root: a.Root, Path: a.To}
	root, problem := to.open()
	if problem != nil {
		return problem
	}
	defer func() { _ = root.Close() }()
	if _, problem := Stat(a.Place); problem != nil {
		return problem
	}
	if _, err := root.Lstat(a.To); err == nil {
		return fault("exists", "%s exists; remove it first", a.To)
	}
	if err := root.Rename(a.Path, a.To); err != nil {
		return explain(err, a.Place)
	}
	return nil
}
