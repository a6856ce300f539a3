import type { Post, Reply } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icon-paths.ts';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useRole, useViewerId, useVillage } from '../../village-context.ts';
import { type Act, actsFor } from './acts.ts';
import { EditForm } from './edit-form.tsx';
import { FlagForm } from './flag-form.tsx';
import { JudgeInPlace } from './judge-in-place.tsx';
import { ModerateForm } from './moderate-form.tsx';
import { RevisionList } from './revision-list.tsx';
import { useSettle } from './use-settle.ts';

/** The act whose form is open below a text; null where none is. */
export type OpenAct = Act | 'history' | null;
interface ActProps {
  readonly post: Post;
  readonly reply: Reply | null;
  readonly act: OpenAct;
  readonly onAct: (act: OpenAct) => void;
}

const WORDS: Readonly<Record<Act, { readonly word: string; readonly icon: IconName; readonly hint: string }>> = {
  reward: { word: 'Reward', icon: 'up', hint: 'Give the author aiDollars for it' },
  penalize: { word: 'Penalize', icon: 'down', hint: 'Take aiDollars from the author for it' },
  resolve: { word: 'Resolve', icon: 'check', hint: 'Say that it has its answer' },
  close: { word: 'Close', icon: 'ban', hint: 'Take no more replies' },
  reopen: { word: 'Reopen', icon: 'undo', hint: 'Open it again' },
  edit: { word: 'Edit', icon: 'edit', hint: 'Write it anew; what it was stays readable' },
  flag: { word: 'Flag', icon: 'flag', hint: 'Say that it should not be on the board' },
  hide: { word: 'Hide…', icon: 'eye', hint: 'Take it off the board, with a reason' },
  restore: { word: 'Restore…', icon: 'undo', hint: 'Bring it back to the board' },
  keep: { word: 'Keep…', icon: 'check', hint: 'Dismiss the flags' },
};
const AT_ONCE: ReadonlySet<Act> = new Set<Act>(['resolve', 'close', 'reopen']);

/** What this viewer can do about a text. What a visitor would need an account for leads to signing in. */
export function ActRow({ post, reply, act, onAct }: ActProps): ReactElement | null {
  const role = useRole();
  const viewer = useViewerId();
  const { openSignIn } = useVillage();
  const settle = useSettle(post);
  const acts = actsFor({ post, reply }, { role, viewer });
  if (acts.length === 0) return null;
  const choose = (chosen: Act): void => {
    if (role === 'visitor') openSignIn();
    else if (AT_ONCE.has(chosen)) void settle.send(chosen);
    else onAct(act === chosen ? null : chosen);
  };
  return (
    <>
      <div
        className={`act-row${reply === null ? '' : ' act-row-small'}`}
        role="group"
        aria-label={reply === null ? 'About this post' : 'About this reply'}
      >
        {acts.map((key) => (
          <button
            key={key}
            type="button"
            className="act"
            data-act={key}
            aria-expanded={AT_ONCE.has(key) ? undefined : act === key}
            aria-disabled={settle.busy}
            title={WORDS[key].hint}
            onClick={() => choose(key)}
          >
            <Icon name={WORDS[key].icon} size={14} />
            {WORDS[key].word}
          </button>
        ))}
      </div>
      {settle.refused !== null && <RefusedNotice refused={settle.refused} />}
    </>
  );
}

/** The form of the act that is open. */
export function ActForm({ post, reply, act, onAct }: ActProps): ReactElement | null {
  const of = reply ?? post;
  const done = (): void => onAct(null);
  if (act === 'reward' || act === 'penalize') return <JudgeInPlace key={act} of={of} kind={act} />;
  if (act === 'hide' || act === 'restore' || act === 'keep')
    return <ModerateForm key={act} post={post} reply={reply} decision={act} onDone={done} />;
  switch (act) {
    case 'edit':
      return <EditForm post={post} reply={reply} onDone={done} />;
    case 'flag':
      return <FlagForm post={post} reply={reply} onDone={done} />;
    case 'history':
      return <RevisionList of={of} onClose={done} />;
    default:
      return null;
  }
}
