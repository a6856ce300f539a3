package layer

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxFiles are remembered of a count, the largest ones.
	maxFiles = 64
	// shownFolders and shownFiles stand in the words for the agent.
	shownFolders = 3
	shownFiles   = 5
	maxFolders   = 4_096
	pathChars    = 120
	gib          = 1 << 30
)

// File is one file of the layer, with its bytes on the disk.
type File struct {
	Path          string
	Bytes         int64
	device, inode uint64
}

// Folder is a folder of the first or second level, with all that is below it.
type Folder struct {
	Path  string
	Bytes int64
}

// Usage is what programs have written into the layer. Folders and Files are the largest ones, the largest first.
type Usage struct {
	Bytes   int64
	Folders []Folder
	Files   []File
}

// labelOf is the folder of the first or second level in which something is.
func labelOf(root, folder string) string {
	below, _ := filepath.Rel(root, folder)
	if below == "." {
		return root
	}
	parts := strings.SplitN(below, "/", 3)
	return filepath.Join(append([]string{root}, parts[:min(2, len(parts))]...)...)
}

func addTo(folders map[string]int64, label string, bytes int64) {
	if _, known := folders[label]; !known && len(folders) >= maxFolders {
		return
	}
	folders[label] += bytes
}

func isIn(path, folder string) bool { return folder != "" && strings.HasPrefix(path, folder+"/") }

func largest(files []File, most int) []File {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return files[:min(most, len(files))]
}

func largestFolders(folders map[string]int64) []Folder {
	all := []Folder{}
	for path := range maps.Keys(folders) {
		all = append(all, Folder{Path: path, Bytes: folders[path]})
	}
	slices.SortFunc(all, func(a, b Folder) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	return all[:min(shownFolders, len(all))]
}

// words for the agent: what fills the disk, what was emptied, and what to do.
func words(usage Usage, limit int64, emptied []File) string {
	folders := []string{}
	for _, each := range usage.Folders {
		folders = append(folders, shown(each.Path, each.Bytes))
	}
	text := fmt.Sprintf("The disk of the machine (all but /workspace and /root) has %s of at most %s; the most is in %s.",
		size(usage.Bytes), size(limit), strings.Join(folders, ", "))
	if len(emptied) > 0 {
		files := []string{}
		for _, each := range emptied[:min(shownFiles, len(emptied))] {
			files = append(files, shown(each.Path, each.Bytes))
		}
		text += fmt.Sprintf(" Files were emptied (%d), so that the machine is not replaced: %s.", len(emptied), strings.Join(files, ", "))
	}
	return text + " All programs were ended. Remove files that are not needed, and write large ones to /workspace, which has a disk of its own."
}

// shown quotes a path that a program has chosen.
func shown(path string, bytes int64) string {
	if len(path) > pathChars {
		path = path[:pathChars] + "..."
	}
	quoted := strconv.QuoteToASCII(path)
	return fmt.Sprintf("%s (%s)", quoted[1:len(quoted)-1], size(bytes))
}

func size(bytes int64) string {
	if bytes < gib {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
}
