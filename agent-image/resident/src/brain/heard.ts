import { HEARING_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { tilesBetween, wordOf, type Situation } from './situation.ts';

/** Speech that reached the agent; `agent` is null when a person spoke. */
export interface Heard {
  readonly seq: number;
  readonly text: string;
  readonly speaker: string;
  readonly agent: AgentView | null;
  /** True if the speaker addressed this agent. */
  readonly toMe: boolean;
}

/** The words that woke the agent; null if no words did, or if the agent that spoke is out of earshot by now. */
export function heardBy({ wake, self, neighbours, agentIds, character }: Situation): Heard | null {
  const text = wake?.kind === 'spoken_to' ? wordOf(wake, 'text') : undefined;
  if (wake === null || text === undefined) return null;
  const speaker = wordOf(wake, 'from') ?? 'visitor';
  const words = { seq: wake.seq, text, speaker, toMe: wordOf(wake, 'to') === character.agentId };
  if (!agentIds.has(speaker)) return { ...words, agent: null };
  const agent = neighbours.find(
    ({ agent_id, position }) => agent_id === speaker && tilesBetween(position, self.position) <= HEARING_TILES,
  );
  return agent === undefined ? null : { ...words, agent };
}
