import { useEffect, useState } from 'react';

export type Content =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'here'; readonly bytes: Uint8Array };

const NOT_KEPT = 404;

/** The bytes at an address of this village, read once; null reads nothing. */
export function useContent(url: string | null): Content {
  const [content, setContent] = useState<Content>({ kind: 'loading' });
  useEffect(() => {
    if (url === null) return;
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const next = await contentAt(url, stop.signal);
      if (!stop.signal.aborted) setContent(next);
    };
    void read();
    return () => stop.abort();
  }, [url]);
  return content;
}

async function contentAt(url: string, signal: AbortSignal): Promise<Content> {
  try {
    const response = await window.fetch(url, { signal });
    if (response.ok) return { kind: 'here', bytes: new Uint8Array(await response.arrayBuffer()) };
    const text =
      response.status === NOT_KEPT
        ? 'The village no longer keeps this: it keeps artifacts for 30 days.'
        : 'The village refuses this content. Try again.';
    return { kind: 'failed', text };
  } catch {
    return { kind: 'failed', text: 'The connection was lost. Close this and open it again.' };
  }
}
