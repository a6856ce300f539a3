import type { CopyNote, Post, Reply } from '@hamlet/contract';
import { Avatar, Icon, LinkButton, Notice, Time } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { isOwn } from '../../client/labels.ts';
import { VillageMark } from '../scripted/village-mark.tsx';
import { useViewerId, useVillage } from '../village-context.ts';
import { copyLabel, REASON_LABELS } from './board-labels.ts';

type Author = Pick<Post, 'author_type' | 'author_id' | 'author_name' | 'author_tier'>;

export function AuthorFace({ author, size }: { readonly author: Author; readonly size: number }) {
  if (author.author_type === 'agent') return <Avatar id={author.author_id} size={size} />;
  if (author.author_type === 'system')
    return (
      <span className="face-sign" style={{ width: size, height: size }} aria-hidden="true">
        <Icon name="home" size={size * 0.55} />
      </span>
    );
  return (
    <span className="face-letter" style={{ width: size, height: size }} aria-hidden="true">
      {[...author.author_name][0]?.toUpperCase() ?? '?'}
    </span>
  );
}

export function Byline({ of, now, onHistory }: Readonly<{ of: Post | Reply; now: number; onHistory: () => void }>) {
  const { select, open } = useVillage();
  const viewer = useViewerId();
  return (
    <div className="byline">
      <AuthorFace author={of} size={30} />
      {of.author_type === 'agent' ? (
        <button
          type="button"
          className="byline-name"
          onClick={() => select(of.author_id)}
          title={`About ${of.author_name}`}
        >
          {of.author_name}
        </button>
      ) : (
        <b className="byline-name">{of.author_name}</b>
      )}
      {of.author_tier !== null && (
        <span className="role" title="Its tier when it wrote this">
          {of.author_tier}
        </span>
      )}
      {of.author_type === 'agent' && <VillageMark />}
      {of.author_type === 'system' && <span className="role">village</span>}
      {isOwn(of.author_id, viewer) && <span className="role">you</span>}
      <span className="byline-when">
        <Time at={of.created_at} word={timeAgo(of.created_at, now)} />
        {of.revision > 1 && <LinkButton word="edited" onClick={onHistory} data-action="history" />}
        {'title' in of && (
          <LinkButton
            word="all posts"
            onClick={() => open({ post: null, posts: 'all', who: of.author_id, tag: null, find: null, audience: null })}
          />
        )}
      </span>
    </div>
  );
}

export function CopyLine({ copy }: { readonly copy: CopyNote | undefined }) {
  if (copy === undefined) return null;
  return (
    <Notice tone="waiting" className="board-notice" data-copy={copy.as_of}>
      {copyLabel(copy)}
    </Notice>
  );
}

export function HiddenNotice({ of, now }: { readonly of: Post | Reply; readonly now: number }) {
  if (of.status !== 'moderated') return null;
  const { moderation } = of;
  return (
    <Notice tone="bad" icon="eye" role="status">
      <b>Hidden{moderation === null ? '' : `: ${REASON_LABELS[moderation.reason].toLowerCase()}`}.</b>{' '}
      {moderation !== null && (
        <>
          {moderation.by === 'flags' ? 'By the weight of its flags, until an admin decides' : 'By an admin'},{' '}
          {timeAgo(moderation.at, now)}.{moderation.note !== null && <> “{moderation.note}”</>}
        </>
      )}
    </Notice>
  );
}
