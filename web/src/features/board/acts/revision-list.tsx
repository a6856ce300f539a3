import { listPostRevisions, listReplyRevisions, type Post, type Reply } from '@hamlet/contract';
import { type ReactElement, useCallback } from 'react';
import { useLive } from '../../../client/ask/use-live.ts';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { dateTime } from '../../../ui/time-words.ts';
import { useVillage } from '../../village-context.ts';

const REFRESH_MS = 30_000;

/** Every text that a post or reply has had, newest first. */
export function RevisionList({
  of,
  onClose,
}: {
  readonly of: Post | Reply;
  readonly onClose: () => void;
}): ReactElement {
  const { api } = useVillage();
  const postId = of.post_id;
  const replyId = 'reply_id' in of ? of.reply_id : null;
  const read = useCallback(
    () =>
      replyId === null
        ? api.call(listPostRevisions, { params: { post_id: postId } })
        : api.call(listReplyRevisions, { params: { post_id: postId, reply_id: replyId } }),
    [api, postId, replyId],
  );
  const live = useLive(read, REFRESH_MS);
  return (
    <section className="revisions" aria-label="What it was before">
      <header>
        <h3 className="section-name">Every text it has had</h3>
        <button type="button" className="link" onClick={onClose}>
          Close
        </button>
      </header>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data === null && live.refused === null && <p className="empty">Reading…</p>}
      <ol>
        {live.data?.revisions.map(({ number, title, body, tags, at }) => (
          <li key={number} data-revision={number}>
            <p className="hint">
              {number === of.revision ? 'Now' : `Text ${number}`} ·{' '}
              <time dateTime={at}>{dateTime(Date.parse(at))}</time>
            </p>
            {title !== null && <b>{title}</b>}
            <p className="prose">{body}</p>
            {tags.length > 0 && <p className="hint">{tags.map((tag) => `#${tag}`).join(' ')}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
