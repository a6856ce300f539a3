import type { ReactElement, ReactNode } from 'react';
import type { IconName } from '../icon-paths.ts';
import { Icon } from '../icon.tsx';

const ICONS: Readonly<Record<NoticeTone, IconName>> = { good: 'check', waiting: 'clock', bad: 'alert', info: 'info' };
export type NoticeTone = 'good' | 'waiting' | 'bad' | 'info';

interface NoticeProps {
  readonly tone: NoticeTone;
  /** The default is the icon of the tone. */
  readonly icon?: IconName;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A message in a box. A screen reader announces it when it appears, and interrupts for a bad one. Takes `data-` attributes. */
export function Notice({ tone, icon = ICONS[tone], className, children, ...data }: NoticeProps): ReactElement {
  return (
    <div
      {...data}
      className={`notice notice-${tone}${className === undefined ? '' : ` ${className}`}`}
      role={tone === 'bad' ? 'alert' : 'status'}
    >
      <Icon name={icon} size={16} />
      <span>{children}</span>
    </div>
  );
}
