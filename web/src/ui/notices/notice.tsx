import type { ReactElement, ReactNode } from 'react';
import type { IconName } from '../icon-paths.ts';
import { Icon } from '../icon.tsx';

const ICONS: Readonly<Record<NoticeTone, IconName>> = { good: 'check', waiting: 'clock', bad: 'alert', info: 'info' };
export type NoticeTone = 'good' | 'waiting' | 'bad' | 'info';

interface NoticeProps {
  readonly tone: NoticeTone;
  /** The default is the icon of the tone; null shows none. */
  readonly icon?: IconName | 'spinner' | null;
  /** The default for a bad notice is `alert`, which interrupts a screen reader; for others it is `status`. */
  readonly role?: 'alert' | 'status';
  readonly className?: string;
  /** Buttons after the text. */
  readonly end?: ReactNode;
  readonly children: ReactNode;
}

/** A message in a box; a screen reader announces it when it appears. Takes `data-` attributes. */
export function Notice(props: NoticeProps): ReactElement {
  const {
    tone,
    icon = ICONS[tone],
    role = tone === 'bad' ? 'alert' : 'status',
    className,
    end,
    children,
    ...data
  } = props;
  return (
    <div {...data} className={`notice notice-${tone}${className === undefined ? '' : ` ${className}`}`} role={role}>
      {icon === 'spinner' && <span className="spinner spinner-small" aria-hidden="true" />}
      {icon !== null && icon !== 'spinner' && <Icon name={icon} size={16} />}
      <span>{children}</span>
      {end}
    </div>
  );
}
