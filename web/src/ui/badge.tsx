import type { ReactElement, ReactNode } from 'react';

/** How good or bad a state is; it chooses colour and shape together. */
export type Tone = 'good' | 'waiting' | 'bad' | 'sleep';

/** A state in a word or two, with a mark of its own shape, so that colour is never the only difference. */
export function Badge({
  tone,
  title,
  children,
}: {
  readonly tone: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      <span className={`mark mark-${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}
