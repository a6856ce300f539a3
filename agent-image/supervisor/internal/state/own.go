package state

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Own gives folders, with their content, to a user. It follows no symbolic link and skips a folder that the user already owns:
// it changes the folder itself last, so that the next run repeats an interrupted one.
func Own(uid int, folders []string) error {
	for _, folder := range folders {
		if err := own(uid, folder); err != nil {
			return fmt.Errorf("%s cannot be given to user %d: %w", folder, uid, err)
		}
	}
	return nil
}

func own(uid int, folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == uid {
		return nil
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return root.Lchown(inside, uid, uid)
	})
	if err != nil {
		return err
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return err
	}
	return os.Lchown(folder, uid, uid)
}
