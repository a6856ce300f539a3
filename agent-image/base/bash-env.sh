# Read by every bash of the slim image: a command that only the full image has says so, with the way to get it.
command_not_found_handle() {
  local name package note
  while IFS=$'\t' read -r name package note; do
    [ "$name" = "$1" ] || continue
    echo "$1 is not in the slim image of this village." >&2
    if [ -n "$package" ]; then
      echo "Install it until the pod ends: apt-get update && apt-get install -y $package${note:+ ($note)}" >&2
    fi
    echo "Or ask an admin for the full image: agentPods.tools: full in the chart's values." >&2
    return 127
  done </etc/hamlet/lacks.tsv
  echo "bash: $1: command not found" >&2
  return 127
}
