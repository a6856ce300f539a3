import { useState } from 'react';
import { Button } from './controls.tsx';

type CopyProps = Readonly<{ text: string; word: string }>;

/** Copies a text that the page shows, and says whether it did: a browser refuses it to a page over plain HTTP of another machine. */
export function CopyButton({ text, word }: CopyProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      setOutcome('refused');
    }
  };
  return (
    <>
      <Button word={outcome === 'copied' ? 'Copied' : word} onClick={() => void copy()} data-action="copy" />
      {outcome === 'refused' && (
        <span className="hint" role="alert">
          The browser refused to copy. Select the text and copy it.
        </span>
      )}
    </>
  );
}
