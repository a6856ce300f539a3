const SECOND_MS = 1_000;
const MINUTE_S = 60;

/** A duration for people: `340 ms`, `12.3 s`, `2 min 5 s`. Pure. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  const seconds = ms / SECOND_MS;
  if (seconds < MINUTE_S) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / MINUTE_S)} min ${Math.floor(seconds % MINUTE_S)} s`;
}

/** `attempt 2, round 3`; empty for the first attempt in the first round. Pure. */
export const turnsText = ({ attempt, round }: Readonly<{ attempt: number; round: number }>): string =>
  [...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(round > 1 ? [`round ${round}`] : [])].join(', ');

/** `1 token`, `1,234 tokens`. Pure. */
export const tokensText = (tokens: number): string =>
  `${tokens.toLocaleString('en')} ${tokens === 1 ? 'token' : 'tokens'}`;
