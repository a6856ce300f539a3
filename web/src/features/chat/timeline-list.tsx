import { type AgentDetail, getTimeline, type TimelineEntry, type TimelineKind } from '@hamlet/contract';
import { timelineText } from '@hamlet/core';
import { useState } from 'react';
import { capital } from '../../client/labels.ts';
import { usePages } from '../../client/query/use-live.ts';
import type { Place } from '../../client/url-state.ts';
import { Icon, PagedList, Time, useNow } from '../../ui/controls.tsx';
import { Choices } from '../../ui/fields.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { ConversationRow } from './conversation-row.tsx';
import { useTierLabel, useVillage } from '../village-context.ts';
import './timeline.css';

const PAGE = 30;
const EVERY_MS = 4_000;
const KINDS = [null, 'session', 'run', 'post', 'judgement', 'purchase', 'state'] as const;
const KIND_WORDS: Readonly<Record<TimelineKind, string>> = {
  session: 'Conversations',
  run: 'Runs',
  firing: 'Schedule',
  post: 'Board',
  purchase: 'Purchases',
  judgement: 'Rewards',
  state: 'States',
};
const ICONS: Readonly<Record<TimelineKind, IconName>> = {
  session: 'speech',
  run: 'play',
  firing: 'calendar',
  post: 'board',
  purchase: 'bag',
  judgement: 'coin',
  state: 'power',
};

/** Everything that happened with an agent, newest first, with a choice of one kind. */
export function TimelineList({ agent }: { readonly agent: AgentDetail }) {
  const [kind, setKind] = useState<(typeof KINDS)[number]>(null);
  const pages = usePages(
    getTimeline,
    { params: { agent_id: agent.agent_id }, query: { limit: PAGE, ...(kind === null ? {} : { kind }) } },
    { list: 'entries', id: 'id', everyMs: EVERY_MS },
  );
  const now = useNow(10_000);
  const rows = pages.rows?.filter(isShown) ?? null;
  const hasTalked = rows?.some(({ session }) => session !== null) ?? true;
  return (
    <>
      {kind === null && !hasTalked && (
        <p className="chat-welcome">
          <b>Talk to {agent.display_name}.</b> Ask a question or give it a task. Your conversations stay here; only
          their people read them. If an admin opens one, the audit records it.
        </p>
      )}
      <Choices
        label="Kind"
        small
        keys={KINDS}
        value={kind}
        wordOf={(key) => (key === null ? 'All' : KIND_WORDS[key])}
        onChange={setKind}
      />
      <PagedList
        pages={{ ...pages, rows }}
        className="timeline"
        label={`Timeline of ${agent.display_name}`}
        older="Older"
        empty={
          kind === null ? 'Nothing yet. Everything that happens with it appears here.' : 'Nothing of this kind yet.'
        }
      >
        {(entry) => <Entry key={entry.id} entry={entry} now={now} />}
      </PagedList>
    </>
  );
}

/** The page of a run shows its workers, and a run shows its firing. */
function isShown({ run, firing }: TimelineEntry): boolean {
  return run?.kind !== 'worker' && (firing === null || firing.run_id === null);
}

/** Opens a place. On a phone the panel closes for a page, because it would cover the page. */
function useOpened(): (to: Partial<Place>) => void {
  const { open, select } = useVillage();
  return (to) => {
    open(to);
    if (to.view !== undefined && window.matchMedia('(width <= 759px)').matches) select(null);
  };
}

function Entry({ entry, now }: Readonly<{ entry: TimelineEntry; now: number }>) {
  const open = useOpened();
  const tier = useTierLabel(entry.state?.tier ?? null);
  if (entry.session !== null) return <ConversationRow session={entry.session} now={now} />;
  const text = timelineText(entry, () => tier);
  const to = openedBy(entry);
  const line = (
    <>
      <Icon name={ICONS[entry.kind]} size={14} />
      <span className="timeline-text">{capital(text)}</span>
      <Time at={entry.at} word={timeAgo(entry.at, now)} />
    </>
  );
  return (
    <li data-entry={entry.kind}>
      {to === null ? (
        <span className="timeline-row">{line}</span>
      ) : (
        <button type="button" className="timeline-row" onClick={() => open(to)}>
          {line}
        </button>
      )}
    </li>
  );
}

/** The place that shows more of an entry; null if there is none. */
function openedBy({ run, post, purchase, judgement, state }: TimelineEntry): Partial<Place> | null {
  if (run !== null) return run.session_id === null ? { view: 'runs', run: run.run_id } : { chat: run.session_id };
  if (post !== null) return { view: 'board', post: post.post_id };
  if (purchase !== null || judgement !== null) return { tab: 'money' };
  return state === null ? null : { tab: 'standing' };
}
