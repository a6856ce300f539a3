import { searchAgentMemory } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { RefusedNotice, Unread } from '../../ui/controls.tsx';
import { AgentMemoryCard } from './agent-memory-card.tsx';
import { explanationLabel, foundLabel } from './memory-labels.ts';

const EVERY_MS = 10_000;
const LIMIT = 20;

type FoundProps = Readonly<{ agentId: string; whose: 'mine' | 'all'; query: string; nowMs: number }>;

/** The memories that share words with a query, the best first, each with the reasons for its rank. An empty query is not sent. */
export function FoundMemories({ agentId, whose, query, nowMs }: FoundProps) {
  const input = { params: { agent_id: agentId }, query: { q: query, whose, limit: LIMIT } };
  const { data, refused, again } = useLive(searchAgentMemory, query === '' ? null : input, EVERY_MS);
  if (data === null) return <Unread refused={refused} word="Searching…" />;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      <p className="hint" role="status">
        {foundLabel(data.found.length, LIMIT)}
      </p>
      <ul className="memory-cards" aria-label="Found memories">
        {data.found.map((each) => (
          <AgentMemoryCard
            key={each.memory.memory_id}
            agentId={agentId}
            whose={whose}
            memory={each.memory}
            nowMs={nowMs}
            onChanged={again}
          >
            <p className="hint">Rank: {explanationLabel(each)}.</p>
          </AgentMemoryCard>
        ))}
      </ul>
    </>
  );
}
