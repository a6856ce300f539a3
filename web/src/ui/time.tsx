import type { ReactElement } from 'react';

type TimeProps = Readonly<{ at: string; word: string; title?: string }>;

/** An instant in words; the title is the exact instant. */
export function Time({ at, word, title = at }: TimeProps): ReactElement {
  return (
    <time dateTime={at} title={title}>
      {word}
    </time>
  );
}
