package process

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hamlet.village/hands/internal/first"
)

// rlimitTasks is RLIMIT_NPROC of Linux on amd64 and arm64, which the package syscall does not name.
const rlimitTasks = 6

// fork starts a process with its limits. It returns an error only if there is no process; if the program cannot be started, the
// process reports that and ends.
func (t *Table) fork(spec Spec, theirs []*os.File) (int, error) {
	limits, err := limitsNow()
	if err != nil {
		return 0, err
	}
	n := newborn{
		limits: limits,
		files:  [3]uintptr{theirs[0].Fd(), theirs[1].Fd(), theirs[len(theirs)-1].Fd()},
		name:   []byte(programName(spec)),
	}
	if spec.Cwd != "" {
		// If the folder disappears after this check, the new process ends.
		if info, err := os.Stat(spec.Cwd); err != nil || !info.IsDir() {
			return 0, &os.PathError{Op: "chdir", Path: spec.Cwd, Err: syscall.ENOENT}
		}
		if n.folder, err = syscall.BytePtrFromString(spec.Cwd); err != nil {
			return 0, err
		}
	}
	variables := environment(spec)
	path, isThere := find(spec.Argv[0], spec.Cwd, variables)
	n.isThere = isThere
	if n.path, err = syscall.BytePtrFromString(path); err != nil {
		return 0, err
	}
	if n.argv, err = syscall.SlicePtrFromStrings(spec.Argv); err != nil {
		return 0, err
	}
	if n.env, err = syscall.SlicePtrFromStrings(variables); err != nil {
		return 0, err
	}
	return n.fork()
}

// find searches for a program in the PATH and from the folder of its new process. isThere says whether that file exists.
func find(name, cwd string, variables []string) (path string, isThere bool) {
	stat := func(path string) (os.FileInfo, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		return os.Stat(path)
	}
	if strings.Contains(name, "/") {
		_, err := stat(name)
		return name, err == nil
	}
	for _, folder := range filepath.SplitList(valueOf("PATH", variables)) {
		// An empty entry is the working folder.
		path := filepath.Join(folder, name)
		if info, err := stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}

func valueOf(name string, variables []string) string {
	for _, each := range variables {
		if value, found := strings.CutPrefix(each, name+"="); found {
			return value
		}
	}
	return ""
}

func limitsNow() ([]limit, error) {
	var files, tasks syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return nil, err
	}
	if err := syscall.Getrlimit(rlimitTasks, &tasks); err != nil {
		return nil, err
	}
	most := min(maxTasks, tasks.Max)
	return []limit{
		{syscall.RLIMIT_NOFILE, syscall.Rlimit{Cur: min(first.OpenFiles.Soft, files.Max), Max: files.Max}},
		{rlimitTasks, syscall.Rlimit{Cur: most, Max: most}},
	}, nil
}
