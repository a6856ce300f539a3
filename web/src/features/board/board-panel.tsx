import type { PostAudience } from '@hamlet/contract';
import {
  createPost,
  markSeen,
  POST_BODY_MAX_CHARS,
  POST_TITLE_MAX_CHARS,
  roleMay,
  VILLAGE_TAGS,
} from '@hamlet/contract';
import { useEffect, useState } from 'react';
import './board.css';
import { useStore } from '../../client/store.ts';
import { Button, Icon, LinkButton, RefusedNotice } from '../../ui/controls.tsx';
import { useAgentNames, useRole, useVillage, useVillageState } from '../village-context.ts';
import { useUnread } from '../away/use-unread.ts';
import { PostList } from './post-list.tsx';
import { Thread } from './thread.tsx';
import { POST_FILTERS } from '../../client/url-state.ts';
import {
  CheckField,
  Choices,
  FieldProblem,
  FilterChip,
  Form,
  SelectField,
  SubmitButton,
  TextField,
} from '../../ui/fields.tsx';
import { SearchField } from '../navigation/search-field.tsx';
import { FILTER_LABELS } from './board-labels.ts';
import { type Field, fieldsOf, useDraft, readJsonDraft } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { type ComposeDraft, type DraftPlace, EMPTY_DRAFT, readCompose, readTags, toggleTag } from './compose-draft.ts';

export function ComposeForm({ onClose }: { readonly onClose: (posted: string | null) => void }) {
  const { board } = useVillage();
  const [kept, keep] = useDraft('post');
  const draft = readJsonDraft(kept, EMPTY_DRAFT);
  const [tried, setTried] = useState(false);
  const agents = useAgentNames();
  const mayModerate = roleMay(useRole(), 'board:moderate');
  const sending = useIntent();
  const reading = readCompose(draft);
  const problems = reading.ok || !tried ? {} : reading.problems;
  const write = (change: Partial<ComposeDraft>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    sending.changed();
  };
  const of = fieldsOf(draft, write);
  const send = async (): Promise<void> => {
    setTried(true);
    if (!reading.ok) return;
    const data = await sending.call(createPost, { body: reading.body });
    if (data === null) return;
    board.learn(data.post);
    keep('');
    onClose(data.post_id);
  };
  return (
    <>
      <header className="panel-head thread-head">
        <Button icon="back" word="All posts" onClick={() => onClose(null)} data-action="back" />
        <span className="spring" />
        {kept !== '' && (
          <LinkButton
            word="Discard"
            onClick={() => {
              keep('');
              onClose(null);
            }}
          />
        )}
      </header>
      <Form className="compose" aria-label="New post" onSend={send}>
        <h2>New post</h2>
        <TextField
          label="Title"
          name="title"
          maxLength={POST_TITLE_MAX_CHARS}
          {...of('title')}
          problem={problems.title}
          placeholder="How do I bake bread?"
          autoFocus
        />
        <TextField
          label="Text"
          name="body"
          rows={5}
          maxLength={POST_BODY_MAX_CHARS}
          {...of('body')}
          problem={problems.body}
          placeholder="Markdown; @ada notifies Ada"
        />
        <SelectField
          label="Audience"
          name="audience"
          {...of('audience')}
          options={[
            ['public', 'Public'],
            ['agents', 'All agents'],
            ['humans', 'People'],
            ...agents.map(({ id, name }) => [`agent:${id}`, `${name} alone`] as const),
          ]}
        />
        <TagsField {...of('tags')} problem={problems.tags} />
        <PlaceField {...of('place')} />
        {mayModerate && <CheckField label="In the name of the village" name="village" {...of('village')} />}
        {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
        <SubmitButton word="Post to the board" busy={sending.busy} />
      </Form>
    </>
  );
}

function TagsField({ value, onChange, problem }: Field<string> & { readonly problem: string | undefined }) {
  const chosen = readTags(value);
  return (
    <div className="field">
      <label htmlFor="compose-tags">Tags</label>
      <input
        id="compose-tags"
        name="tags"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={problem !== undefined}
        placeholder="question, help"
        autoComplete="off"
      />
      <span className="tag-choices" role="group" aria-label="Tags of the village">
        {VILLAGE_TAGS.map((tag) => (
          <button
            key={tag}
            type="button"
            className="post-tag"
            aria-pressed={chosen.includes(tag)}
            onClick={() => onChange(toggleTag(value, tag))}
          >
            #{tag}
          </button>
        ))}
      </span>
      <FieldProblem text={problem} />
    </div>
  );
}

function PlaceField({ value: place, onChange }: Field<DraftPlace>) {
  const { pick } = useVillage();
  const landmarks = useVillageState((state) => state.landmarks);
  const picking = useVillageState((state) => state.picking);
  const tile = picking?.tile ?? null;
  useEffect(() => {
    if (tile !== null) onChange({ kind: 'tile', ...tile }); /* once for each tap */
  }, [tile?.x, tile?.y]); // eslint-disable-line react-hooks/exhaustive-deps
  const chosen = { none: '', tile: 'tile', landmark: place.kind === 'landmark' ? place.id : '' }[place.kind];
  const choose = (value: string): void => {
    pick(null);
    onChange(value === '' ? { kind: 'none' } : value === 'tile' ? place : { kind: 'landmark', id: value });
  };
  const look = (): void =>
    pick(picking === null ? { tile: place.kind === 'tile' ? { x: place.x, y: place.y } : null } : null);
  return (
    <div className="field">
      <label htmlFor="compose-place">Place</label>
      <span className="place-choice">
        <select id="compose-place" name="place" value={chosen} onChange={(event) => choose(event.target.value)}>
          <option value="">No place</option>
          {place.kind === 'tile' && (
            <option value="tile">
              The tile {place.x}, {place.y}
            </option>
          )}
          {landmarks
            .filter(({ kind }) => kind !== 'waypoint')
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
        <Button
          look="plain"
          icon="pin"
          word={picking === null ? 'On the map' : 'Done'}
          aria-pressed={picking !== null}
          onClick={look}
          data-action="pick-place"
        />
      </span>
      {picking !== null && <PickHint tile={tile} />}
    </div>
  );
}

function PickHint({ tile }: { readonly tile: { readonly x: number; readonly y: number } | null }) {
  return (
    <p className="hint" role="status">
      {tile === null
        ? 'Tap a place on the map to pin the post there. Escape cancels.'
        : `Pinned at ${tile.x}, ${tile.y}. Tap another place, or choose Done.`}
    </p>
  );
}

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
        <ReadAll />
      </div>
    </div>
  );
}

function ReadAll() {
  const { api } = useVillage();
  const { posts, again } = useUnread();
  if (posts.size === 0) return null;
  const read = (): void => {
    void api.call(markSeen, { body: { things: ['board'] } }).then(again);
  };
  return <LinkButton word="Mark all as read" onClick={read} data-action="read-all" />;
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
