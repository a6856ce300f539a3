import { listPostRevisions, listReplyRevisions, type Post, type Reply } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useLive } from '../../../client/query/use-live.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { RefusedNotice, Unread } from '../../../ui/notices/refused-notice.tsx';
import { dateTime } from '../../../ui/time-labels.ts';

const REFRESH_MS = 30_000;

/** All versions of a post or reply, newest first. */
export function RevisionList({ of, onClose }: Readonly<{ of: Post | Reply; onClose: () => void }>): ReactElement {
  const postId = of.post_id;
  const replyId = 'reply_id' in of ? of.reply_id : null;
  const ofPost = useLive(listPostRevisions, replyId === null ? { params: { post_id: postId } } : null, REFRESH_MS);
  const ofReply = useLive(
    listReplyRevisions,
    replyId === null ? null : { params: { post_id: postId, reply_id: replyId } },
    REFRESH_MS,
  );
  const live = replyId === null ? ofPost : ofReply;
  return (
    <section className="revisions" aria-label="Earlier versions">
      <header>
        <h3 className="section-name">All versions</h3>
        <LinkButton word="Close" onClick={onClose} />
      </header>
      {live.data !== null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data === null && <Unread refused={live.refused} />}
      <ol>
        {live.data?.revisions.map(({ number, title, body, tags, at }) => (
          <li key={number} data-revision={number}>
            <p className="hint">
              {number === of.revision ? 'Now' : `Version ${number}`} ·{' '}
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
