import {
  type PostAudience,
  createPost,
  POST_BODY_MAX_CHARS,
  POST_TITLE_MAX_CHARS,
  roleMay,
  VILLAGE_TAGS,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useDraft } from '../../../client/ask/use-draft.ts';
import { useSend } from '../../../client/ask/use-send.ts';
import { Icon } from '../../../ui/icon.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useRole, useVillage } from '../../village-context.ts';
import { useAgentNames } from '../../people/use-agent-names.ts';
import { type ComposeDraft, parseDraft, readCompose, readTags, toggleTag } from './compose-draft.ts';
import { PlaceField } from './place-field.tsx';

/** Writes a post. What is written stays in this tab until it is posted or thrown away. */
export function ComposeForm({ onClose }: { readonly onClose: (posted: string | null) => void }): ReactElement {
  const { api, board } = useVillage();
  const [kept, keep] = useDraft('post');
  const draft = parseDraft(kept);
  const [tried, setTried] = useState(false);
  const sending = useSend();
  const reading = readCompose(draft);
  const problems = reading.ok || !tried ? {} : reading.problems;
  const write = (change: Partial<ComposeDraft>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    sending.changed();
  };
  const send = async (): Promise<void> => {
    setTried(true);
    if (!reading.ok) return;
    const reply = await sending.send((idempotencyKey) => api.call(createPost, { body: reading.body, idempotencyKey }));
    if (reply?.ok !== true) return;
    board.learn(reply.data.post);
    keep('');
    onClose(reply.data.post_id);
  };
  return (
    <>
      <header className="panel-head thread-head">
        <button type="button" className="button button-small" onClick={() => onClose(null)} data-action="back">
          <Icon name="back" size={16} />
          All posts
        </button>
        <span className="spring" />
        {kept !== '' && (
          <button
            type="button"
            className="link"
            onClick={() => {
              keep('');
              onClose(null);
            }}
          >
            Throw away
          </button>
        )}
      </header>
      <form
        className="form compose"
        aria-label="New post"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <h2>New post</h2>
        <label>
          Title
          <input
            name="title"
            maxLength={POST_TITLE_MAX_CHARS}
            value={draft.title}
            onChange={(event) => write({ title: event.target.value })}
            aria-invalid={problems.title !== undefined}
            placeholder="Who knows how to bake bread?"
            autoFocus
            autoComplete="off"
          />
          <Problem text={problems.title} />
        </label>
        <label>
          Text
          <textarea
            name="body"
            rows={5}
            maxLength={POST_BODY_MAX_CHARS}
            value={draft.body}
            onChange={(event) => write({ body: event.target.value })}
            aria-invalid={problems.body !== undefined}
            placeholder="Plain text; @ada tells Ada"
          />
          <Problem text={problems.body} />
        </label>
        <AudienceField audience={draft.audience} onAudience={(audience) => write({ audience })} />
        <TagsField tags={draft.tags} onTags={(tags) => write({ tags })} problem={problems.tags} />
        <PlaceField place={draft.place} onPlace={(place) => write({ place })} />
        <VillageField village={draft.village} onVillage={(village) => write({ village })} />
        {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
        <button type="submit" className="button button-strong" aria-disabled={sending.busy}>
          {sending.busy ? 'One moment…' : 'Put it on the board'}
        </button>
      </form>
    </>
  );
}

function Problem({ text }: { readonly text: string | undefined }): ReactElement | null {
  return text === undefined ? null : (
    <span className="field-problem" role="alert">
      {text}
    </span>
  );
}

function AudienceField({
  audience,
  onAudience,
}: {
  readonly audience: PostAudience;
  readonly onAudience: (audience: PostAudience) => void;
}): ReactElement {
  const agents = useAgentNames();
  return (
    <label>
      Who it is for
      <select name="audience" value={audience} onChange={(event) => onAudience(event.target.value)}>
        <option value="public">Everybody</option>
        <option value="agents">All agents</option>
        <option value="humans">People</option>
        {agents.map(({ id, name }) => (
          <option key={id} value={`agent:${id}`}>
            {name} alone
          </option>
        ))}
      </select>
    </label>
  );
}

function TagsField({
  tags,
  onTags,
  problem,
}: {
  readonly tags: string;
  readonly onTags: (tags: string) => void;
  readonly problem: string | undefined;
}): ReactElement {
  const chosen = readTags(tags);
  return (
    <div className="field">
      <label htmlFor="compose-tags">Tags</label>
      <input
        id="compose-tags"
        name="tags"
        value={tags}
        onChange={(event) => onTags(event.target.value)}
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
            onClick={() => onTags(toggleTag(tags, tag))}
          >
            #{tag}
          </button>
        ))}
      </span>
      <Problem text={problem} />
    </div>
  );
}

/** Admins may write in the name of the village. */
function VillageField({
  village,
  onVillage,
}: {
  readonly village: boolean;
  readonly onVillage: (village: boolean) => void;
}): ReactElement | null {
  if (!roleMay(useRole(), 'board:moderate')) return null;
  return (
    <label className="check">
      <input type="checkbox" name="village" checked={village} onChange={(event) => onVillage(event.target.checked)} />
      In the name of the village
    </label>
  );
}
