/** The time since an instant, in words: `just now`, `5 min ago`, `3 h ago`, `yesterday`, `2 days ago`; empty for an unreadable instant. */
export function timeAgo(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return '';
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  const days = Math.round(seconds / 86_400);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

/** The time until an instant: `in 8 s`, `in 5 min`, `in 3 h`, `in 2 days`; `now` if it has passed. */
export function timeAhead(atMs: number, nowMs: number): string {
  const seconds = (atMs - nowMs) / 1000;
  if (seconds < 1) return 'now';
  if (seconds < 90) return `in ${Math.round(seconds)} s`;
  if (seconds < 5400) return `in ${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `in ${Math.round(seconds / 3600)} h`;
  return `in ${Math.round(seconds / 86_400)} days`;
}

/** A duration in at most two units: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 days 4 h`. */
export function lengthLabel(lengthMs: number): string {
  const seconds = Math.max(0, lengthMs) / 1000;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return twoUnits([Math.floor(whole / 60), 'min'], [whole % 60, 's']);
  if (whole < 86_400) return twoUnits([Math.floor(whole / 3600), 'h'], [Math.floor((whole % 3600) / 60), 'min']);
  const days = Math.floor(whole / 86_400);
  return twoUnits([days, days === 1 ? 'day' : 'days'], [Math.floor((whole % 86_400) / 3600), 'h']);
}

function twoUnits(large: readonly [number, string], small: readonly [number, string]): string {
  return small[0] === 0 ? large.join(' ') : `${large.join(' ')} ${small.join(' ')}`;
}

/** `Mon 23 Nov, 08:30 UTC`: with seconds unless zero, and another year. A given `timeZone` is not named. */
export function dateTime(atMs: number, timeZone?: string, nowMs = Date.now()): string {
  const seconds = atMs % 60_000 === 0 ? {} : ({ second: '2-digit' } as const);
  const zone = timeZone === undefined ? ({ timeZoneName: 'short' } as const) : { timeZone };
  const year =
    new Date(atMs).getUTCFullYear() === new Date(nowMs).getUTCFullYear() ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...seconds,
    ...zone,
    ...year,
  })
    .format(atMs)
    .replace(' at ', ', ');
}

/** A date and time in the zone of the device, rounded down to the minute. */
export const minuteTime = (iso: string): string => dateTime(Math.floor(Date.parse(iso) / 60_000) * 60_000);

/** A time of day with seconds in the zone of the device: `08:30:15`. */
export function secondTime(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(
    Date.parse(iso),
  );
}

export function clockTime(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
