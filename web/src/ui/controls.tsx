import type { ComponentProps, ReactNode } from 'react';
import { ICON_PATHS, type IconName } from './icon-paths.ts';

type Own = Readonly<{
  word: ReactNode;
  icon?: IconName;
  iconPx?: number;
  look?: 'small' | 'plain' | 'strong' | 'danger';
}>;
type Native = Omit<ComponentProps<'button'>, 'children'>;

/** A button with a text, and an icon before it. All buttons here take the attributes of `<button>` and `data-` attributes. */
export function Button({ word, icon, iconPx = 16, look = 'small', className, ...native }: Own & Native) {
  return (
    <button type="button" {...native} className={joined(`button button-${look}`, className)}>
      {icon !== undefined && <Icon name={icon} size={iconPx} />}
      {word}
    </button>
  );
}

export function LinkButton({ word, className, ...native }: Pick<Own, 'word'> & Native) {
  return (
    <button type="button" {...native} className={joined('link', className)}>
      {word}
    </button>
  );
}

type IconButtonProps = Native & Readonly<{ icon: IconName; iconPx?: number; label: string }>;

export function IconButton({ icon, iconPx = 18, label, className, ...native }: IconButtonProps) {
  return (
    <button type="button" {...native} className={joined('icon-button', className)} aria-label={label}>
      <Icon name={icon} size={iconPx} />
    </button>
  );
}

function joined(own: string, more: string | undefined): string {
  return more === undefined ? own : `${own} ${more}`;
}

/** A line icon in the colour of the text; decoration only, so it is hidden from assistive technology. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

export type Tone = 'good' | 'waiting' | 'bad' | 'sleep';

export function Badge({ tone, title, children }: Readonly<{ tone: Tone; title?: string; children: ReactNode }>) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      <span className={`mark mark-${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}
