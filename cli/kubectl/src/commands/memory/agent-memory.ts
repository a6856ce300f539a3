import type { AgentMemory, Client, FoundMemory, MemoryTotals, OwnMemoryChange } from '@hamlet/contract';
import {
  correctAgentMemory,
  dataOf,
  forgetAgentMemory,
  listAgentMemory,
  MEMORY_CHANGE_REFUSALS,
  pinAgentMemory,
  searchAgentMemory,
} from '@hamlet/contract';
import { Failure } from '../../command.ts';
import { age, brief, listed } from '../../table.ts';
import { printable } from '../../talk/printable.ts';

const TEXT_CHARS = 80;
const SHOWN = 100;

export type MemoryAct =
  | { readonly do: 'list' }
  | { readonly do: 'search'; readonly query: string }
  | { readonly do: 'forget' | 'pin' | 'unpin'; readonly id: string }
  | { readonly do: 'correct'; readonly id: string; readonly text: string };

const ACTS: Readonly<Record<string, (words: readonly string[]) => MemoryAct | null>> = {
  list: (words) => (words.length === 0 ? { do: 'list' } : null),
  search: (words) => (words.length === 0 ? null : { do: 'search', query: words.join(' ') }),
  correct: ([id, ...text]) =>
    id === undefined || text.length === 0 ? null : { do: 'correct', id, text: text.join(' ') },
  forget: (words) => ofOne('forget', words),
  pin: (words) => ofOne('pin', words),
  unpin: (words) => ofOne('unpin', words),
};

const ofOne = (verb: 'forget' | 'pin' | 'unpin', [id, ...rest]: readonly string[]): MemoryAct | null =>
  id === undefined || rest.length > 0 ? null : { do: verb, id };

/** The act that words after the name of an agent ask for. Throws a Failure for others. Pure. */
export function memoryActOf([verb = 'list', ...words]: readonly string[]): MemoryAct {
  const act = ACTS[verb]?.(words) ?? null;
  if (act !== null) return act;
  throw new Failure('write list, search WORDS, pin ID, unpin ID, forget ID or correct ID TEXT after the agent', 2);
}

export type AgentMemoryAnswer =
  | {
      readonly memories: readonly AgentMemory[];
      readonly totals: MemoryTotals | null;
      readonly next_cursor: string | null;
      readonly shown: number;
      readonly changes: readonly OwnMemoryChange[];
    }
  | { readonly found: readonly FoundMemory[] }
  | { readonly changed: string };

export interface Asked {
  readonly agent: string;
  readonly act: MemoryAct;
  readonly whose: 'mine' | 'all';
  /** For a list: the cursor from the previous page. */
  readonly cursor: string | null;
}

export async function askAgentMemory(api: Client, { agent, act, whose, cursor }: Asked): Promise<AgentMemoryAnswer> {
  const of = { params: { agent_id: agent } };
  if (act.do === 'list') {
    const query = { whose, limit: SHOWN, ...(cursor !== null && { cursor }) };
    return dataOf(api.call(listAgentMemory, { ...of, query }));
  }
  if (act.do === 'search') return dataOf(api.call(searchAgentMemory, { ...of, query: { q: act.query, whose } }));
  const params = { agent_id: agent, memory_id: act.id };
  switch (act.do) {
    case 'forget':
      await dataOf(api.call(forgetAgentMemory, { params }));
      return { changed: `${act.id} is deleted here; ${WAITS}` };
    case 'correct': {
      const { memory_id: id } = await dataOf(api.call(correctAgentMemory, { params, body: { text: act.text } }));
      return { changed: `${id} replaces ${act.id} here; ${WAITS}` };
    }
    default: {
      const pinned = act.do === 'pin';
      await dataOf(api.call(pinAgentMemory, { params, body: { pinned } }));
      return { changed: `${act.id} is ${pinned ? 'pinned' : 'no longer pinned'} here; ${WAITS}` };
    }
  }
}

const WAITS = 'the agent applies it before it next recalls anything; if it cannot, the list says why';

const COLUMNS = (nowMs: number) => ({
  ID: ({ memory_id }: AgentMemory) => memory_id,
  KIND: ({ kind }: AgentMemory) => kind,
  SURE: ({ certainty }: AgentMemory) => certainty,
  SINCE: ({ since }: AgentMemory) => age(since, nowMs),
  STATE: ({ pinned, dormant, until }: AgentMemory) =>
    until !== null ? 'replaced' : pinned ? 'pinned' : dormant ? 'dormant' : '-',
  TEXT: ({ speaker, text }: AgentMemory) =>
    printable(brief(speaker === null ? text : `${speaker}: ${text}`, TEXT_CHARS)),
});

/** The answer as text: a table, and how full the memory is. Pure. */
export function agentMemoryLines(answer: AgentMemoryAnswer, nowMs: number): readonly string[] {
  if ('changed' in answer) return [printable(answer.changed)];
  if ('found' in answer) {
    const rows = answer.found.map(({ memory }) => memory);
    return [listed(rows, 'no memory shares a word with the search', COLUMNS(nowMs))];
  }
  const { memories, totals, next_cursor: next, shown, changes } = answer;
  const used = totals === null ? 0 : totals.active + totals.dormant;
  return [
    listed(memories, 'the agent remembers nothing that you may know', COLUMNS(nowMs)),
    ...(next === null
      ? []
      : [`${memories.length} listed; find others with search WORDS, or older ones with --cursor=${next}`]),
    ...(totals === null ? [] : [`${used} of ${totals.capacity} memories in use`]),
    ...(used > shown && totals !== null ? [`${used - shown} of them are not copied here yet`] : []),
    ...changes.flatMap(changeLine),
  ];
}

/** A change by the caller that is not done. Pure. */
function changeLine({ number, op, memory_id: id, state, reason }: OwnMemoryChange): readonly string[] {
  if (state === 'done') return [];
  const why = reason === null ? 'it gave no reason' : MEMORY_CHANGE_REFUSALS[reason];
  return [`change ${number} (${op} ${id}) ${state === 'waiting' ? 'waits for the agent' : `was refused: ${why}`}`];
}
