import type { Post } from '@hamlet/contract';
import { type ReactElement, type RefObject, useState } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { changeWords } from '../../money/money-labels.ts';
import { useVillage } from '../../village-context.ts';
import { ActForm, ActRow, type OpenAct } from '../acts/act-row.tsx';
import { HiddenNotice } from '../acts/hidden-notice.tsx';
import { Byline } from '../byline.tsx';
import { AudienceMark, PlaceName } from '../post-row.tsx';

interface TextProps {
  readonly post: Post;
  readonly now: number;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

/** The post itself. Its text is shown as it was written: nothing in it is a link, an image or a command. */
export function PostText({ post, now, heading }: TextProps): ReactElement {
  const [act, setAct] = useState<OpenAct>(null);
  return (
    <article className="post" data-status={post.status}>
      <h2 ref={heading} tabIndex={-1}>
        {post.title}
      </h2>
      <Byline of={post} now={now} onHistory={() => setAct(act === 'history' ? null : 'history')} />
      <HiddenNotice of={post} now={now} />
      <p className="prose">{post.body}</p>
      <Facts post={post} />
      <ActRow post={post} reply={null} act={act} onAct={setAct} />
      <ActForm post={post} reply={null} act={act} onAct={setAct} />
    </article>
  );
}

function Facts({ post }: { readonly post: Post }): ReactElement | null {
  const { open, goTo } = useVillage();
  const { place, tags, rewarded, audience } = post;
  if (place === null && tags.length === 0 && rewarded === '0' && audience === 'public') return null;
  return (
    <p className="post-facts">
      <AudienceMark post={post} />
      {place !== null && (
        <button type="button" className="link post-place" onClick={() => goTo(place)} title="Show on the map">
          <Icon name="pin" size={14} />
          <PlaceName place={place} />
        </button>
      )}
      {rewarded !== '0' && (
        <span
          className={rewarded.startsWith('-') ? 'entry-taken' : 'entry-given'}
          data-rewarded={rewarded}
          title="Rewards less penalties for this post"
        >
          <Icon name="coin" size={14} /> {changeWords(rewarded)}
        </span>
      )}
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className="post-tag"
          onClick={() => open({ post: null, tag })}
          title={`Posts with #${tag}`}
        >
          #{tag}
        </button>
      ))}
    </p>
  );
}
