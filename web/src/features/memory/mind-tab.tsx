import {
  type AgentDetail,
  type AgentMemory,
  listAgentMemory,
  MEMORY_QUERY_MAX_CHARS,
  MemoryId,
  MemoryKind,
  roleMay,
} from '@hamlet/contract';
import type { CallData } from '@hamlet/contract';
import { useState } from 'react';
import { useLive, usePages } from '../../client/query/use-live.ts';
import { useSettled } from '../../client/query/use-settled.ts';
import { Button, LinkButton, Notice, PagedList, Time, Unread, useNow } from '../../ui/controls.tsx';
import { CheckField, FilterField } from '../../ui/fields.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { visibleText } from '@hamlet/core/visible-text';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { AgentMemoryCard } from './agent-memory-card.tsx';
import { FoundMemories } from './found-memories.tsx';
import { RepositoryMemories } from './repository-memories.tsx';
import {
  KINDS,
  moreLabel,
  notShownLabel,
  refusalLabel,
  refusedChanges,
  todayLabel,
  totalsLabel,
} from './memory-labels.ts';
import './memory.css';

const EVERY_MS = 10_000;
const NOW_MS = 10_000;

/** Shows the beliefs of an agent with origin, certainty and age, its goal and plan, the news of today, and how full its memory is. */
export function MindTab({ agent }: { readonly agent: AgentDetail }) {
  const role = useRole();
  const [whose, setWhose] = useState<'mine' | 'all'>('mine');
  const memory = useVillageState((state) => state.place.memory);
  if (!roleMay(role, 'memory:read')) return <SignInHint text="Members see what an agent remembers of them." />;
  return (
    <>
      {role === 'admin' && (
        <CheckField
          className="check memory-all"
          label="Also show memories from conversations with others; the audit records this"
          value={whose === 'all'}
          onChange={(on) => setWhose(on ? 'all' : 'mine')}
        />
      )}
      {memory === null ? (
        <Memories key={`${agent.agent_id} ${whose}`} agentId={agent.agent_id} whose={whose} />
      ) : (
        <OneMemory agentId={agent.agent_id} whose={whose} memoryId={memory} />
      )}
      <RepositoryMemories agent={agent} whose={whose} />
    </>
  );
}

type Asked = Readonly<{ agentId: string; whose: 'mine' | 'all' }>;

/** The memory in the address, with those that it replaced. */
function OneMemory({ agentId, whose, memoryId }: Asked & { readonly memoryId: string }) {
  const { open } = useVillage();
  const now = useNow(NOW_MS);
  const known = MemoryId.safeParse(memoryId).success;
  const input = { params: { agent_id: agentId }, query: { whose, memory_id: memoryId } };
  const { data, refused, again } = useLive(listAgentMemory, known ? input : null, EVERY_MS);
  return (
    <section className="section" aria-label="One memory">
      <h3 className="section-name">One memory</h3>
      {known && data === null && <Unread refused={refused} />}
      {(!known || data?.memories.length === 0) && (
        <p className="empty">
          <code>{visibleText(memoryId)}</code> is not among the memories that you may read: it was forgotten, it is of
          another person, or it belongs to a repository.
        </p>
      )}
      <ul className="memory-cards">
        {data?.memories.map((each) => (
          <AgentMemoryCard
            key={each.memory_id}
            agentId={agentId}
            whose={whose}
            memory={each}
            nowMs={now}
            onChanged={again}
          />
        ))}
      </ul>
      <LinkButton word="All its memories" onClick={() => open({ memory: null })} />
    </section>
  );
}

function Memories({ agentId, whose }: Asked) {
  const [kind, setKind] = useState<MemoryKind>('fact');
  const [query, setQuery] = useState('');
  const settled = useSettled(query.trim());
  const input = { params: { agent_id: agentId }, query: { whose, kind } };
  const pages = usePages(listAgentMemory, input, { list: 'memories', id: 'memory_id', everyMs: EVERY_MS });
  const now = useNow(NOW_MS);
  const card = (memory: AgentMemory) => (
    <AgentMemoryCard
      key={memory.memory_id}
      agentId={agentId}
      whose={whose}
      memory={memory}
      nowMs={now}
      onChanged={pages.again}
    />
  );
  const searches = query.trim() !== '';
  return (
    <>
      {pages.first !== null && <Overview first={pages.first} whose={whose} nowMs={now} />}
      <FilterField label="Search its memory" value={query} onChange={setQuery} maxLength={MEMORY_QUERY_MAX_CHARS} />
      {searches ? (
        <FoundMemories agentId={agentId} whose={whose} query={settled} nowMs={now} />
      ) : (
        <>
          <div className="memory-kinds" role="group" aria-label="Kind of memory">
            {MemoryKind.options.map((each) => (
              <Button
                key={each}
                word={KINDS[each].word}
                aria-pressed={each === kind}
                onClick={() => setKind(each)}
                data-kind={each}
              />
            ))}
          </div>
          {pages.rows !== null && pages.rows.length > 0 && (
            <p className="hint">
              {todayLabel(pages.rows, pages.more === null, now)} {pages.more !== null && moreLabel(pages.rows.length)}
            </p>
          )}
          <PagedList pages={pages} className="memory-cards" empty={KINDS[kind].empty} older="Older memories">
            {card}
          </PagedList>
        </>
      )}
    </>
  );
}

type First = Pick<CallData<typeof listAgentMemory>, 'mind' | 'totals' | 'synced_at' | 'waiting' | 'shown' | 'changes'>;

const SEEN = { mine: 'You see the memories that arose with you or that everybody may know.', all: '' } as const;

function Overview({ first, whose, nowMs }: Readonly<{ first: First; whose: 'mine' | 'all'; nowMs: number }>) {
  const { mind, totals, synced_at: synced, waiting, shown, changes } = first;
  const notShown = totals === null ? null : notShownLabel(shown, totals);
  if (synced === null)
    return <p className="empty">The agent has not reported its memory yet. It does so at its next start.</p>;
  return (
    <section className="section" aria-label="State of mind">
      {mind !== null && mind.goal !== null && (
        <p>
          <b>Now</b> {mind.goal}
        </p>
      )}
      {mind !== null && mind.plan !== null && (
        <p>
          <b>Plan for the day</b> {mind.plan}
        </p>
      )}
      {totals !== null && (
        <Fullness label={totalsLabel(totals)} share={(totals.active + totals.dormant) / totals.capacity} />
      )}
      <p className="hint">
        As of <Time at={synced} word={timeAgo(synced, nowMs)} />
        {waiting > 0 && `. The agent has not applied ${waiting === 1 ? 'one change' : `${waiting} changes`} yet`}.{' '}
        {SEEN[whose]} {notShown}
      </p>
      <RefusedChanges changes={changes} nowMs={nowMs} />
    </section>
  );
}

function RefusedChanges({ changes, nowMs }: Readonly<{ changes: First['changes']; nowMs: number }>) {
  const { open } = useVillage();
  return refusedChanges(changes, nowMs).map((change) => (
    <Notice key={change.number} tone="bad">
      {refusalLabel(change)} <Time at={change.at} word={timeAgo(change.at, nowMs)} />{' '}
      <LinkButton word="Show the memory" onClick={() => open({ memory: change.memory_id })} />
    </Notice>
  ));
}

function Fullness({ label, share }: Readonly<{ label: string; share: number }>) {
  return (
    <div className="meter">
      <p>{label}</p>
      <span
        className="meter-bar"
        role="meter"
        aria-label="Share of the memory in use"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        data-full={share >= 1}
      >
        <span style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
    </div>
  );
}
