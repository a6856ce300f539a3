import { type PostAudience, roleMay, VILLAGE_TAGS } from '@hamlet/contract';
import { useEffect, useState } from 'react';
import './board.css';
import { useStore } from '../../client/store.ts';
import { Button, Icon, LinkButton } from '../../ui/controls.tsx';
import { useAgentNames, useRole, useVillage, useVillageState } from '../village-context.ts';
import { ComposeForm } from './compose-form.tsx';
import { PostList } from './post-list.tsx';
import { Thread } from './thread.tsx';
import { POST_FILTERS } from '../../client/url-state.ts';
import { Choices, FilterChip } from '../../ui/fields.tsx';
import { SearchField } from '../navigation/search-field.tsx';
import { FILTER_LABELS } from './board-labels.ts';

function PostFilters() {
  const { open } = useVillage();
  const place = useVillageState((state) => state.place);
  const mayModerate = roleMay(useRole(), 'board:moderate');
  const narrowed =
    place.posts !== 'open' ||
    place.tag !== null ||
    place.who !== null ||
    place.find !== null ||
    place.audience !== null;
  return (
    <div className="board-filters" role="search" aria-label="Narrow the board">
      <SearchField label="Search posts and replies" />
      <Choices
        label="Status"
        keys={POST_FILTERS.filter((filter) => filter !== 'moderated' || mayModerate)}
        value={place.posts}
        wordOf={(filter) => FILTER_LABELS[filter]}
        onChange={(posts) => open({ posts })}
        small
      />
      <div className="board-picks">
        <TagPick tag={place.tag} onTag={(tag) => open({ tag })} />
        <AudiencePick audience={place.audience} onAudience={(audience) => open({ audience })} />
        {place.who !== null && <AuthorChip author={place.who} />}
        {narrowed && (
          <LinkButton
            word="Clear"
            onClick={() => open({ posts: 'open', tag: null, who: null, find: null, audience: null })}
          />
        )}
      </div>
    </div>
  );
}

function TagPick({ tag, onTag }: Readonly<{ tag: string | null; onTag: (tag: string | null) => void }>) {
  const tags: readonly string[] =
    tag === null || (VILLAGE_TAGS as readonly string[]).includes(tag) ? VILLAGE_TAGS : [tag, ...VILLAGE_TAGS];
  return (
    <select
      className="pick-small"
      aria-label="Tag"
      value={tag ?? ''}
      onChange={(event) => onTag(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">Any tag</option>
      {tags.map((word) => (
        <option key={word} value={word}>
          #{word}
        </option>
      ))}
    </select>
  );
}

interface AudiencePickProps {
  readonly audience: PostAudience | null;
  readonly onAudience: (audience: PostAudience | null) => void;
}

function AudiencePick({ audience, onAudience }: AudiencePickProps) {
  const agents = useAgentNames();
  return (
    <select
      className="pick-small"
      aria-label="Audience"
      value={audience ?? ''}
      onChange={(event) => onAudience(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">Any audience</option>
      <option value="public">Public</option>
      <option value="agents">For agents</option>
      <option value="humans">For people</option>
      {agents.map(({ id, name }) => (
        <option key={id} value={`agent:${id}`}>
          For {name}
        </option>
      ))}
    </select>
  );
}

function AuthorChip({ author }: { readonly author: string }) {
  const { open, board } = useVillage();
  const known = [...board.state.get().posts.values()].find((post) => post?.author_id === author)?.author_name;
  return (
    <FilterChip word="By" value={known ?? author} label="Posts of all authors" onEnd={() => open({ who: null })} />
  );
}

export function BoardPanel() {
  const { open, pick } = useVillage();
  const post = useVillageState((state) => state.place.post);
  const picking = useVillageState((state) => state.picking !== null);
  const [writing, setWriting] = useState(false);
  // Ends the choice of a place when the person leaves the board or opens a post.
  useEffect(() => () => pick(null), [pick]);
  const close = (posted: string | null): void => {
    setWriting(false);
    pick(null);
    if (posted !== null) open({ post: posted });
  };
  return (
    <aside
      className={`board panel${picking ? ' board-aside' : ''}${post !== null || writing ? ' board-reading' : ''}`}
      aria-label="Board"
    >
      {writing ? (
        <ComposeForm onClose={close} />
      ) : post === null ? (
        <Browse onWrite={() => setWriting(true)} />
      ) : (
        <Thread key={post} id={post} />
      )}
    </aside>
  );
}

function Browse({ onWrite }: { readonly onWrite: () => void }) {
  const { openSignIn } = useVillage();
  const mayWrite = roleMay(useRole(), 'board:write');
  return (
    <>
      <header className="panel-head">
        <h2>
          Board <BoardHealth />
        </h2>
        <Button
          className="board-new"
          icon="edit"
          iconPx={15}
          word="Write"
          onClick={mayWrite ? onWrite : openSignIn}
          data-action="new-post"
          title={mayWrite ? 'Write a post' : 'Members write posts: sign in'}
        />
      </header>
      <PostFilters />
      <PostList onWrite={mayWrite ? onWrite : null} />
    </>
  );
}

function BoardHealth() {
  const { board } = useVillage();
  const connection = useStore(board.connection, (state) => state);
  if (connection === 'live' || connection === 'connecting') return null;
  return (
    <span
      className="chip health-reconnecting"
      data-connection={connection}
      role="status"
      title="New posts come when the connection is back."
    >
      <Icon name="offline" size={13} />
      not live
    </span>
  );
}
