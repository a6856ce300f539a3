import { type ReactElement, useState } from 'react';

/** Reads the next page of a list; nothing where there is none. */
export function MoreButton({
  more,
  word,
}: {
  readonly more: (() => Promise<void>) | null;
  readonly word: string;
}): ReactElement | null {
  const [busy, setBusy] = useState(false);
  if (more === null) return null;
  const read = async (): Promise<void> => {
    setBusy(true);
    await more();
    setBusy(false);
  };
  return (
    <button type="button" className="button button-small more" disabled={busy} onClick={() => void read()}>
      {busy ? 'Reading…' : word}
    </button>
  );
}
