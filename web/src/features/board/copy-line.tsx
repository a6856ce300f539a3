import type { CopyNote } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { copyWords } from './board-words.ts';

/** That what is read is a copy, and how old; nothing where it is the board itself. */
export function CopyLine({ copy }: { readonly copy: CopyNote | undefined }): ReactElement | null {
  if (copy === undefined) return null;
  return (
    <p className="notice notice-waiting board-notice" role="status" data-copy={copy.as_of}>
      <Icon name="clock" size={16} />
      <span>{copyWords(copy)}</span>
    </p>
  );
}
