import { useEffect, useState } from 'react';

export function Time({ at, word, title = at }: Readonly<{ at: string; word: string; title?: string }>) {
  return (
    <time dateTime={at} title={title}>
      {word}
    </time>
  );
}

/** The time in Unix milliseconds, updated every `everyMs`, for texts such as "in 5 min". */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
