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

// fork starts a process with its limits. It returns an error if there is no process at all; a program that cannot be
// started is a process that says why and ends.
func (t *Table) fork(spec Spec, theirs []*os.File) (int, error) {
	limits, err := limitsOf(spec.Limits)
	if err != nil {
		return 0, err
	}
	n := newborn{
		limits: limits,
		files:  [3]uintptr{theirs[0].Fd(), theirs[1].Fd(), theirs[len(theirs)-1].Fd()},
		name:   []byte(programName(spec)),
	}
	if spec.Cwd != "" {
		// A folder that goes after this ends the new process.
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

// find looks for a program in the PATH and from the folder of its new process. Without a file, the path leads nowhere.
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

// limitsOf never raises a limit of the supervisor.
func limitsOf(wanted Limits) ([]limit, error) {
	limits := []limit{}
	for _, each := range []struct {
		resource int
		value    uint64
	}{
		{syscall.RLIMIT_CPU, wanted.CPUSeconds},
		{syscall.RLIMIT_FSIZE, wanted.FileBytes},
		{syscall.RLIMIT_NOFILE, wanted.OpenFiles},
		{rlimitTasks, maxTasks},
	} {
		if each.value == 0 && each.resource != syscall.RLIMIT_NOFILE {
			continue
		}
		var now syscall.Rlimit
		if err := syscall.Getrlimit(each.resource, &now); err != nil {
			return nil, err
		}
		value := min(each.value, now.Max)
		to := syscall.Rlimit{Cur: value, Max: value}
		if each.value == 0 {
			to = syscall.Rlimit{Cur: min(first.OpenFiles.Soft, now.Max), Max: now.Max}
		}
		limits = append(limits, limit{uintptr(each.resource), to})
	}
	return limits, nil
}
