import type { ReactElement, ReactNode } from 'react';

/** The tone of a state; it selects both colour and shape. */
export type Tone = 'good' | 'waiting' | 'bad' | 'sleep';

type BadgeProps = Readonly<{ tone: Tone; title?: string; children: ReactNode }>;

/** A state in a word or two. Marks differ in shape as well as in colour. */
export function Badge({ tone, title, children }: BadgeProps): ReactElement {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      <span className={`mark mark-${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}
