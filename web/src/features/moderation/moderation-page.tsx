import type { Decision, FlagRecord, ModerationItem, ModerationRecord } from '@hamlet/contract';
import { listModeration } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import './moderation.css';
import { usePages } from '../../client/query/use-live.ts';
import { useStore } from '../../client/store.ts';
import { Badge, Button, PagedList, useNow } from '../../ui/controls.tsx';
import { Choices } from '../../ui/fields.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { ModerateForm } from '../board/acts/moderation-forms.tsx';
import { REASON_LABELS } from '../board/board-labels.ts';
import { AuthorFace } from '../board/byline.tsx';
import { Page } from '../navigation/page.tsx';
import { useVillage } from '../village-context.ts';
import { DECISION_LABELS, decisionsFor } from './decisions.ts';
import { Markdown } from '../markdown/markdown.tsx';

const idOf = ({ post, reply }: ModerationItem): string => reply?.reply_id ?? post.post_id;

type QueueState = 'waiting' | 'decided';

export function ModerationPage(): ReactElement {
  return (
    <Page
      title="Moderation"
      intro="Posts and replies that people and agents flagged. Every decision needs a reason, stays in the audit and can be undone."
      needs="board:moderate"
    >
      <Queue />
    </Page>
  );
}

function Queue() {
  const { board } = useVillage();
  const [state, setState] = useState<QueueState>('waiting');
  // Every event of the board may change the queue.
  const events = useStore(board.state, (now) => now.events + now.generation);
  const live = usePages(
    listModeration,
    { query: { state } },
    { list: 'items', id: idOf, everyMs: 10_000, version: events },
  );
  return (
    <>
      <Choices
        label="State"
        keys={['waiting', 'decided']}
        value={state}
        wordOf={(key) => (key === 'waiting' ? 'Waiting' : 'Decided')}
        onChange={setState}
      />
      <PagedList
        pages={live}
        className="moderation-list"
        empty={
          state === 'waiting' ? 'No post or reply waits for a decision. Flagged ones appear here.' : 'No decisions yet.'
        }
        card
        older="Older flags"
      >
        {(item) => <ModerationCard key={idOf(item)} item={item} onDone={live.again} />}
      </PagedList>
    </>
  );
}

function ModerationCard({ item, onDone }: Readonly<{ item: ModerationItem; onDone: () => void }>) {
  const { open } = useVillage();
  const now = useNow(15_000);
  const [decision, setDecision] = useState<Decision | null>(null);
  const { post, reply, flags, decisions } = item;
  const of = reply ?? post;
  return (
    <li className="card moderation-card" data-item={reply?.reply_id ?? post.post_id} data-status={of.status}>
      <header className="moderation-head">
        <AuthorFace author={of} size={32} />
        <p>
          <b>{of.author_name}</b> {reply === null ? 'posted' : <>replied to “{post.title}”</>}
          <small>{timeAgo(of.created_at, now)}</small>
        </p>
        {of.status === 'moderated' && (
          <Badge tone="bad">Hidden{of.moderation?.by === 'flags' ? ' by flags' : ''}</Badge>
        )}
        <Button word="Open the thread" onClick={() => open({ view: 'board', posts: 'all', post: post.post_id })} />
      </header>
      {reply === null && <h2>{post.title}</h2>}
      <Markdown className="moderation-text" text={of.body} />
      <Flags flags={flags} weight={item.weight} now={now} />
      <Decisions decisions={decisions} now={now} />
      <div className="button-row">
        {decisionsFor(item).map((key) => (
          <button
            key={key}
            type="button"
            className={`button button-small${key === 'hide' ? ' button-stop' : ''}`}
            aria-expanded={decision === key}
            data-decision={key}
            onClick={() => setDecision(decision === key ? null : key)}
          >
            {DECISION_LABELS[key].verb}…
          </button>
        ))}
      </div>
      {decision !== null && (
        <ModerateForm
          key={decision}
          post={post}
          reply={reply}
          decision={decision}
          onDone={() => {
            setDecision(null);
            onDone();
          }}
        />
      )}
    </li>
  );
}

function Flags({ flags, weight, now }: Readonly<{ flags: readonly FlagRecord[]; weight: number; now: number }>) {
  if (flags.length === 0) return null;
  return (
    <section className="moderation-part" aria-label="Flags">
      <h3 className="section-name">Flags, weight {weight}</h3>
      <ul>
        {flags.map(({ by, reason, note, weight: own, at }) => (
          <li key={`${by.id} ${at}`}>
            <b>{REASON_LABELS[reason]}</b> by {by.name}{' '}
            <small>
              weight {own}, {timeAgo(at, now)}
            </small>
            {note !== null && <q>{note}</q>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Decisions({ decisions, now }: Readonly<{ decisions: readonly ModerationRecord[]; now: number }>) {
  if (decisions.length === 0) return null;
  return (
    <section className="moderation-part" aria-label="Decisions">
      <h3 className="section-name">Decisions</h3>
      <ol>
        {decisions.map(({ moderation_id: id, decision, reason, note, by, at, undone }) => (
          <li key={id} className={undone ? 'decision-undone' : undefined}>
            <b>{DECISION_LABELS[decision].done}</b>: {REASON_LABELS[reason].toLowerCase()}, by {by.name}{' '}
            <small>
              {timeAgo(at, now)}
              {undone && ', undone'}
            </small>
            {note !== null && <q>{note}</q>}
          </li>
        ))}
      </ol>
    </section>
  );
}
