import { useEffect, useState } from 'react';
import type { Refused, Reply } from '../api.ts';
import { askAgainMs } from './ask-again.ts';

/** An answer that is asked for again and again. After a failure the last good one stays, beside the refusal. */
export interface Live<T> {
  readonly data: T | null;
  readonly refused: Refused | null;
  again(): void;
}

/** How often a page that nobody looks at checks whether somebody does. */
const HIDDEN_MS = 1000;

/**
 * Asks now, and again `everyMs` after each answer while the component lives and the page is seen; more slowly while it is refused. What is under way
 * when the component goes is aborted.
 * @param read must be the same function while the question is the same; null asks nothing
 */
export function useLive<T>(read: ((signal: AbortSignal) => Promise<Reply<T>>) | null, everyMs: number): Live<T> {
  const [answer, setAnswer] = useState<{ readonly data: T | null; readonly refused: Refused | null }>({
    data: null,
    refused: null,
  });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (read === null) return undefined;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const ask = async (): Promise<void> => {
      if (document.hidden) {
        timer = setTimeout(() => void ask(), HIDDEN_MS);
        return;
      }
      const reply = await read(leaving.signal);
      if (leaving.signal.aborted) return;
      failures = reply.ok ? 0 : failures + 1;
      setAnswer((last) =>
        reply.ok ? { data: reply.data, refused: null } : { data: last.data, refused: reply.refused },
      );
      timer = setTimeout(() => void ask(), askAgainMs(everyMs, failures, Math.random()));
    };
    void ask();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [read, everyMs, asked]);
  return { ...answer, again: () => setAsked((count) => count + 1) };
}
