/** How long ago an instant was, in words: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. An instant that cannot be read gives an empty text. */
export function timeAgo(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000
  if (Number.isNaN(seconds)) return ''
  if (seconds < 45) return 'just now'
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`
  const days = Math.round(seconds / 86_400)
  return days === 1 ? 'yesterday' : `${days} days ago`
}

/** A minute of the village's day as a clock shows it. */
export function clockTime(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}
