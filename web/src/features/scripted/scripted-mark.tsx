import type { ReactElement } from 'react';

type MarkProps = Readonly<{ word?: string; hint: string }>;

/** A label beside words that no language model wrote. */
export function ScriptedMark({ word = 'scripted', hint }: MarkProps): ReactElement {
  return (
    <span className="scripted" title={hint}>
      {word}
    </span>
  );
}
