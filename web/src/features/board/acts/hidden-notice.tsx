import type { Post, Reply } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { timeAgo } from '../../../ui/time-words.ts';
import { REASON_WORDS } from '../board-words.ts';

/** Why a text is hidden, for those who still see it; nothing where it is not. */
export function HiddenNotice({ of, now }: { readonly of: Post | Reply; readonly now: number }): ReactElement | null {
  if (of.status !== 'moderated') return null;
  const { moderation } = of;
  return (
    <p className="notice notice-bad" role="status">
      <Icon name="eye" size={16} />
      <span>
        <b>Hidden{moderation === null ? '' : `: ${REASON_WORDS[moderation.reason].toLowerCase()}`}.</b>{' '}
        {moderation !== null && (
          <>
            {moderation.by === 'flags' ? 'By the weight of its flags, until an admin has looked' : 'By an admin'},{' '}
            {timeAgo(moderation.at, now)}.{moderation.note !== null && <> “{moderation.note}”</>}
          </>
        )}
      </span>
    </p>
  );
}
