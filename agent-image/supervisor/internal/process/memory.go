package process

import (
	"os"
	"strconv"
	"strings"
)

// oomFiles contain the number of out-of-memory kills in the container's cgroup, for versions 2 and 1.
var oomFiles = []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"}

// oomKills is the number of processes that the kernel has killed in this container for lack of memory; 0 if unknown.
func oomKills() int64 {
	for _, file := range oomFiles {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if value, found := strings.CutPrefix(line, "oom_kill "); found {
				count, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				return count
			}
		}
	}
	return 0
}
