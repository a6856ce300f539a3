import type { AgentDetail, MemoryEntry, RepositoryMemory } from '@hamlet/contract';
import {
  forgetRepositoryEntry,
  forgetRepositoryMemory,
  getRepositoryMemory,
  listRepositoryMemories,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, useLive, usePages } from '../../client/query/use-live.ts';
import { Badge, Button, Icon, LinkButton, MoreButton, RefusedNotice, Unread, useNow } from '../../ui/controls.tsx';
import { useAgentName, useRole, useViewerId, useVillage } from '../village-context.ts';
import './memory.css';
import { timeAgo } from '../../ui/time-labels.ts';
import { entryLabel } from './entry-label.ts';
import { audienceLabel } from './memory-labels.ts';

const EVERY_MS = 10_000;

type Whose = Readonly<{ whose: 'mine' | 'all' }>;

export function RepositoryMemories({ agent, whose }: Whose & Readonly<{ agent: AgentDetail }>) {
  return roleMay(useRole(), 'runs:read') ? <Memories agentId={agent.agent_id} whose={whose} /> : null;
}

function Memories({ agentId, whose }: Whose & Readonly<{ agentId: string }>) {
  const pages = usePages(
    listRepositoryMemories,
    { query: { agent_id: agentId } },
    { list: 'memories', id: 'repository', everyMs: EVERY_MS },
  );
  if (pages.rows === null || pages.rows.length === 0)
    return pages.refused === null ? null : <RefusedNotice refused={pages.refused} />;
  return (
    <section className="section" aria-label="Memory of repositories">
      <h3 className="section-name">Memory of repositories</h3>
      <p className="hint">
        All agents that work in a repository share its memory. Entries of a conversation are for its people.
      </p>
      <ul className="memories">
        {pages.rows.map((memory) => (
          <Memory key={`${memory.repository} ${whose}`} memory={memory} whose={whose} onForgotten={pages.again} />
        ))}
      </ul>
      <MoreButton more={pages.more} word="More repositories" />
    </section>
  );
}

type MemoryProps = Whose & Readonly<{ memory: RepositoryMemory; onForgotten: () => void }>;

function Memory({ memory, whose, onForgotten }: MemoryProps) {
  const [open, setOpen] = useState(false);
  const { repository, entries } = memory;
  return (
    <li className="memory" data-repository={repository}>
      <button type="button" className="section-title" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={14} />
        <span className="memory-name">{repository}</span>
        <span className="hint">{entries === 1 ? '1 entry' : `${entries} entries`}</span>
      </button>
      {open && <Entries repository={repository} whose={whose} onForgotten={onForgotten} />}
    </li>
  );
}

type EntriesProps = Whose & Readonly<{ repository: string; onForgotten: () => void }>;

function Entries({ repository, whose, onForgotten }: EntriesProps) {
  const intent = useIntent();
  const ofOthers = useRole() === 'admin' ? ', also what arose with others' : '';
  const [version, setVersion] = useState(0);
  const [asks, setAsks] = useState(false);
  const live = useLive(getRepositoryMemory, { query: { repository, whose } }, { everyMs: EVERY_MS, version });
  if (live.data === null) return <Unread refused={live.refused} />;
  const again = (): void => {
    setVersion((before) => before + 1);
    onForgotten();
  };
  const forgetAll = async (): Promise<void> => {
    const data = await intent.call(forgetRepositoryMemory, { query: { repository } });
    setAsks(false);
    if (data !== null) again();
  };
  return (
    <div className="memory-entries">
      {live.data.entries.length === 0 && <p className="empty">Nothing is remembered here.</p>}
      <ul>
        {live.data.entries.toReversed().map((entry) => (
          <MemoryEntryLine key={entry.memory_id} entry={entry} repository={repository} onForgotten={again} />
        ))}
      </ul>
      {asks ? (
        <p className="memory-ask">
          <span>Delete all of it{ofOthers}? This cannot be undone.</span>
          <Button
            word="Delete all"
            look="danger"
            aria-disabled={intent.busy}
            onClick={() => void forgetAll()}
            data-action="forget-memory"
          />
          <Button word="Keep it" onClick={() => setAsks(false)} />
        </p>
      ) : (
        <Button word="Delete all…" onClick={() => setAsks(true)} data-action="ask-forget-memory" />
      )}
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </div>
  );
}

type LineProps = Readonly<{ entry: MemoryEntry; repository: string; onForgotten: () => void }>;

function MemoryEntryLine({ entry, repository, onForgotten }: LineProps) {
  const { open } = useVillage();
  const intent = useIntent();
  const now = useNow(10_000);
  const name = useAgentName(entry.agent_id);
  const viewer = useViewerId();
  const { memory_id, run_id: run } = entry;
  const { title, lines } = entryLabel(entry);
  const forget = async (): Promise<void> => {
    const input = { params: { memory_id }, query: { repository } };
    const data = await intent.call(forgetRepositoryEntry, { ...input });
    if (data !== null) onForgotten();
  };
  return (
    <li className="memory-entry" data-memory={memory_id}>
      <div className="memory-words">
        {title !== null && <b>{title}</b>}
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p className="hint">
          {entry.pinned && <Badge tone="good">Pinned</Badge>}{' '}
          {entry.outside && <Badge tone="waiting">From outside</Badge>} Begun by {name},{' '}
          <LinkButton word={`changed ${timeAgo(entry.changed_at, now)}`} onClick={() => open({ view: 'runs', run })} />{' '}
          · {audienceLabel(entry.audience, viewer)}
        </p>
      </div>
      <Button
        word="Delete"
        aria-label={`Delete ${title ?? lines[0] ?? memory_id}`}
        aria-disabled={intent.busy}
        onClick={() => void forget()}
        data-action="forget-entry"
      />
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </li>
  );
}
