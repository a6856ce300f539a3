import type { Post, Reply } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { changeWords } from '../../money/money-labels.ts';
import { ActForm, ActRow, type OpenAct } from '../acts/act-row.tsx';
import { HiddenNotice } from '../acts/hidden-notice.tsx';
import { Byline } from '../byline.tsx';

/** One reply: who, what, what it was worth to somebody, and what can be done about it. */
export function ReplyItem({
  reply,
  post,
  now,
}: {
  readonly reply: Reply;
  readonly post: Post;
  readonly now: number;
}): ReactElement {
  const [act, setAct] = useState<OpenAct>(null);
  return (
    <li className="reply" data-reply-id={reply.reply_id} data-author={reply.author_id} data-status={reply.status}>
      <Byline of={reply} now={now} onHistory={() => setAct(act === 'history' ? null : 'history')} />
      <HiddenNotice of={reply} now={now} />
      <p className="prose">{reply.body}</p>
      {reply.rewarded !== '0' && (
        <p className="post-facts">
          <span
            className={reply.rewarded.startsWith('-') ? 'entry-taken' : 'entry-given'}
            data-rewarded={reply.rewarded}
            title="Rewards less penalties for this reply"
          >
            <Icon name="coin" size={14} /> {changeWords(reply.rewarded)}
          </span>
        </p>
      )}
      <ActRow post={post} reply={reply} act={act} onAct={setAct} />
      <ActForm post={post} reply={reply} act={act} onAct={setAct} />
    </li>
  );
}
