import {
  type AgentDetail,
  forgetRepositoryMemory,
  getRepositoryMemory,
  listRepositoryMemories,
  type RepositoryMemory,
  roleMay,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useIntent } from '../../client/query/use-intent.ts';
import { useLive } from '../../client/query/use-live.ts';
import { usePages } from '../../client/query/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice, Unread } from '../../ui/notices/refused-notice.tsx';
import { MoreButton } from '../../ui/paged-list.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { MemoryEntryLine } from './memory-entry-line.tsx';
import './memory.css';

const EVERY_MS = 10_000;

/** Memories of the repositories in which an agent has remembered something. Nothing for an agent without any. */
export function RepositoryMemories({ agent }: { readonly agent: AgentDetail }): ReactElement | null {
  return roleMay(useRole(), 'runs:read') ? <Memories agentId={agent.agent_id} /> : null;
}

function Memories({ agentId }: { readonly agentId: string }): ReactElement | null {
  const pages = usePages(listRepositoryMemories, (cursor) => ({ query: { agent_id: agentId, ...cursor } }), {
    everyMs: EVERY_MS,
    pageOf: ({ memories: rows, next_cursor: next }) => ({ rows, next }),
    idOf: ({ repository }) => repository,
  });
  if (pages.rows === null || pages.rows.length === 0)
    return pages.refused === null ? null : <RefusedNotice refused={pages.refused} />;
  return (
    <section className="section" aria-label="Memory of repositories">
      <h3 className="section-name">Memory of repositories</h3>
      <p className="hint">All agents that work in a repository share its memory.</p>
      <ul className="memories">
        {pages.rows.map((memory) => (
          <Memory key={memory.repository} memory={memory} onForgotten={pages.again} />
        ))}
      </ul>
      <MoreButton more={pages.more} word="More repositories" />
    </section>
  );
}

type MemoryProps = Readonly<{ memory: RepositoryMemory; onForgotten: () => void }>;

function Memory({ memory, onForgotten }: MemoryProps): ReactElement {
  const [open, setOpen] = useState(false);
  const { repository, entries } = memory;
  return (
    <li className="memory" data-repository={repository}>
      <button type="button" className="section-title" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={14} />
        <span className="memory-name">{repository}</span>
        <span className="hint">{entries === 1 ? '1 entry' : `${entries} entries`}</span>
      </button>
      {open && <Entries repository={repository} onForgotten={onForgotten} />}
    </li>
  );
}

type EntriesProps = Readonly<{ repository: string; onForgotten: () => void }>;

/** The entries of a memory, the newest first, with the buttons that delete them. */
function Entries({ repository, onForgotten }: EntriesProps): ReactElement {
  const { api } = useVillage();
  const intent = useIntent();
  const [version, setVersion] = useState(0);
  const [asks, setAsks] = useState(false);
  const live = useLive(getRepositoryMemory, { query: { repository } }, { everyMs: EVERY_MS, version });
  if (live.data === null) return <Unread refused={live.refused} />;
  const again = (): void => {
    setVersion((before) => before + 1);
    onForgotten();
  };
  const forgetAll = async (): Promise<void> => {
    const reply = await intent.send((idempotencyKey) =>
      api.call(forgetRepositoryMemory, { query: { repository }, idempotencyKey }),
    );
    setAsks(false);
    if (reply?.ok === true) again();
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
          <span>Delete all of it? This cannot be undone.</span>
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
