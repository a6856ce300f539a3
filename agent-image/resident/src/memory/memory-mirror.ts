import { hash } from 'node:crypto';
import {
  CORRECTION_PREFIX,
  MEMORY_PEOPLE_MAX,
  MEMORY_WORDS_MAX_CHARS,
  SHOWN_MEMORIES_MAX,
  SYNCED_MEMORIES_MAX,
} from '@hamlet/contract/resident';
import type { CallData, CallInput, MemoryCommand, MindState, syncAgentMemory, SyncedMemory } from '@hamlet/contract';
import type { Evidence, Memory, NewFact, Remembered } from '@hamlet/engine/memory';
import { shorten } from '@hamlet/core/shorten';
import type { Log } from '../process/json-log.ts';
import type { Answer } from '../village/village.ts';
import { createAsyncEvent } from '../process/async-event.ts';
import { DIARY_SESSION, isInForce, NO_SUBJECT } from './own-memory.ts';
import { isLearned } from './reading/facts-read.ts';

/** Longest pause between two exchanges with the API. */
const EVERY_MS = 60_000;
/** Pause after a change, so that changes of one run share an exchange. */
const SETTLE_MS = 1_000;
const PAGE = 1_000;

/** Steps of maintenance after an exchange. */
const STEPS_MAX = 50;

type Body = Omit<CallInput<typeof syncAgentMemory>['body'], 'cycle'>;
type Synced = CallData<typeof syncAgentMemory>;

export type Applied = Pick<Body, 'applied' | 'life'>;

export interface MirrorPorts {
  readonly memory: Memory;
  readonly sync: (body: Body) => Promise<Answer<Synced>>;
  /** The number of the newest applied command with the life that it belongs to, on the volume. */
  readonly applied: { read(): Applied; write(applied: Applied): void };
  readonly mind: () => MindState;
  readonly log: Pick<Log, 'warn'>;
}

/** The copy of the agent's memory that people read, and their changes to it. */
export interface MemoryMirror {
  /** Reports changes soon. */
  touch(): void;
  /** Applies the changes that people made. False if the API did not answer: nothing may be recalled then. */
  catchUp(): Promise<boolean>;
  /** Exchanges with the API after changes and once a minute, until the signal aborts. */
  run(stop: AbortSignal): Promise<void>;
}

/** The time (ms since 1970), and for a fact the conversation from whose words it was made. */
type Circumstances = Readonly<{ now: number; session: string | null }>;

/** A memory as the API shows it. Pure. */
function syncedOf(memory: Remembered, { now, session: from }: Circumstances): SyncedMemory {
  const { id, text, audience, repository, at, taint, importance, pinned, uses, lastUsedAt, state } = memory;
  const shared = {
    memory_id: id,
    text: shorten(text, MEMORY_WORDS_MAX_CHARS),
    // Fewer people than may know it, never more.
    audience: audience === 'public' ? null : audience.slice(0, MEMORY_PEOPLE_MAX),
    repository,
    outside: taint === 'outside',
    importance,
    pinned,
    uses,
    used_at: lastUsedAt === null ? null : timeOf(lastUsedAt),
    dormant: state === 'dormant',
    run_id: RUN_IN_ID.exec(id)?.[1] ?? null,
  };
  if (memory.kind === 'evidence') {
    const isDiary = memory.session === DIARY_SESSION;
    const session = sessionOf(memory);
    const own = { corrected: false, about: null, until: null, replaces: null, since: timeOf(at) };
    return { ...shared, ...own, kind: isDiary ? 'diary' : 'evidence', speaker: memory.speaker, session_id: session };
  }
  const { subject, validFrom, validTo, supersedes } = memory;
  return {
    ...shared,
    kind: 'fact',
    about: subject === NO_SUBJECT ? null : subject,
    speaker: null,
    corrected: id.startsWith(CORRECTION_PREFIX),
    since: timeOf(validFrom),
    until: validTo === null || isInForce(memory, now) ? null : timeOf(validTo),
    replaces: supersedes,
    session_id: from,
  };
}

/** Ids that the API accepts. */
const MEMORY_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
const timeOf = (ms: number): string => new Date(ms).toISOString();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Words, entries of the diary and learned facts have the id of their run. */
const RUN_IN_ID = /^[edf]-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:-|$)/;

/** The version of each memory that the API has, as a hash. */
type Sent = ReadonlyMap<string, string>;

/** The memories to send, and the ids of those that are shown no longer. Pure. */
export function changesSince(sent: Sent, shown: readonly SyncedMemory[]): Changes {
  const ids = new Set(shown.map(({ memory_id: id }) => id));
  return {
    memories: shown.filter((memory) => sent.get(memory.memory_id) !== hashOf(memory)),
    gone: [...sent.keys()].filter((id) => !ids.has(id)),
  };
}
const hashOf = (memory: SyncedMemory): string => hash('sha256', JSON.stringify(memory), 'base64');

interface Changes {
  readonly memories: readonly SyncedMemory[];
  readonly gone: readonly string[];
}

/** The memories that people may see: pinned ones and facts first, then the newest words. */
function shownOf(memory: Memory): readonly SyncedMemory[] {
  const shown = new Map<string, Remembered>();
  const add = (filter: object): void => {
    let after: string | null = null;
    do {
      const page = memory.list({ audience: 'keeper', limit: PAGE, ...filter, ...(after !== null && { after }) });
      for (const each of page.memories)
        if (shown.size < SHOWN_MEMORIES_MAX && MEMORY_ID.test(each.id)) shown.set(each.id, each);
      after = page.next;
    } while (after !== null && shown.size < SHOWN_MEMORIES_MAX);
  };
  add({ pinned: true });
  add({ kind: 'fact' });
  add({ kind: 'evidence' });
  const now = Date.now();
  return [...shown.values()].map((each) => syncedOf(each, { now, session: conversationOf(memory, each) }));
}

/** The conversation with the words that a learned fact was made from; null for other facts. */
function conversationOf(memory: Memory, known: Remembered): string | null {
  if (known.kind !== 'fact' || !isLearned(known)) return null;
  const [source = ''] = known.provenance;
  const words = memory.get(source, { audience: 'keeper' });
  return words?.kind === 'evidence' ? sessionOf(words) : null;
}

const sessionOf = ({ session }: Pick<Evidence, 'session'>): string | null => (UUID.test(session) ? session : null);

/** Applies a person's change; repeated, it has no further effect. */
async function apply(memory: Memory, command: MemoryCommand): Promise<void> {
  const { memory_id: id } = command;
  switch (command.op) {
    case 'forget':
      memory.bury([id]);
      return;
    case 'pin':
      if (command.pinned) memory.pin(id, { audience: 'keeper' });
      else memory.unpin(id, { audience: 'keeper' });
      return;
    case 'correct': {
      const known = memory.get(id, { audience: 'keeper' });
      if (known?.kind === 'fact') await memory.remember([correctionOf(known, command)]);
    }
  }
}

const correctionOf = (
  { subject, audience, layer, repository, importance, id, pinned }: Extract<Remembered, { kind: 'fact' }>,
  { new_id: newId, text }: Extract<MemoryCommand, { op: 'correct' }>,
): NewFact => {
  const kept = { subject, audience, layer, repository, pinned, importance: Math.max(importance, CORRECTED_IMPORTANCE) };
  return { ...kept, kind: 'fact', id: newId, text, supersedes: id };
};
const CORRECTED_IMPORTANCE = 0.8;

export function createMemoryMirror(ports: MirrorPorts): MemoryMirror {
  const { memory, log } = ports;
  const reporter = createReporter(ports);
  const [touched, settling] = [createAsyncEvent(), createAsyncEvent()];
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
  const exchange = async (): Promise<boolean> => (await reporter.pull()) && (await reporter.push());
  const warned = (error: unknown): false => {
    log.warn('memory_not_synced', { why: String(error) });
    return false;
  };
  return {
    touch: () => {
      reporter.touch();
      touched.set();
    },
    catchUp: () => inTurn(reporter.pull).catch(() => false),
    run: async (stop) => {
      while (!stop.aborted) {
        const isDone = await inTurn(exchange).catch(warned);
        // A recall does not wait for it.
        await maintain(memory, stop).catch(warned);
        if (!isDone || !reporter.isDirty()) {
          // Earlier touches are in the reporter's state.
          touched.clear();
          await touched.wait(EVERY_MS, stop);
        }
        await settling.wait(SETTLE_MS, stop);
      }
    },
  };
}

/** The exchanges with the API. Mutable, because it knows what the API has. */
interface Reporter {
  touch(): void;
  isDirty(): boolean;
  /** Applies the changes of people; false if the API did not answer. */
  pull(): Promise<boolean>;
  /** Reports what changed; false if the API did not take it. */
  push(): Promise<boolean>;
}

function createReporter({ memory, applied, mind, log, sync }: MirrorPorts): Reporter {
  const sent = new Map<string, string>();
  const state = { isFirst: true, isDirty: true };
  /** One request, and the commands of its answer. Null if the API refused it. */
  const ask = async (body: Omit<Body, 'applied' | 'life'>): Promise<Synced | null> => {
    const answer = await sync({ ...applied.read(), ...body });
    if (answer.kind !== 'ok') {
      log.warn('memory_not_synced', { why: answer.kind === 'refused' ? answer.detail : answer.kind });
      return null;
    }
    for (const command of answer.value.commands) {
      await apply(memory, command);
      applied.write({ applied: command.number, life: answer.value.life });
      state.isDirty = true;
    }
    return answer.value;
  };
  const report = async (facts: Pick<Body, 'mind' | 'totals'>): Promise<boolean> => {
    const shown = shownOf(memory);
    const { memories, gone } = changesSince(sent, shown);
    const held = state.isFirst ? { held: shown.map(({ memory_id: id }) => id) } : {};
    const first = { ...facts, ...held, gone: [...gone] };
    for (let at = 0; at === 0 || at < memories.length; at += SYNCED_MEMORIES_MAX) {
      const batch = memories.slice(at, at + SYNCED_MEMORIES_MAX);
      if ((await ask({ ...(at === 0 ? first : {}), memories: batch })) === null) return false;
      for (const each of batch) sent.set(each.memory_id, hashOf(each));
    }
    for (const id of gone) sent.delete(id);
    state.isFirst = false;
    return true;
  };
  return {
    touch: () => {
      state.isDirty = true;
    },
    isDirty: () => state.isDirty,
    pull: async () => {
      for (;;) {
        const answer = await ask({});
        if (answer === null) return false;
        if (answer.commands.length === 0) return true;
      }
    },
    push: async () => {
      const facts = { mind: mind(), totals: totalsOf(memory) };
      if (!state.isDirty) return (await ask(facts)) !== null;
      state.isDirty = false;
      const isTaken = await report(facts);
      if (!isTaken) state.isDirty = true;
      return isTaken;
    },
  };
}

/** The work of the store that can wait, in steps between which others may use it. */
async function maintain(memory: Memory, stop: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !stop.aborted; steps += 1) if (!(await memory.maintain()).more) return;
}

function totalsOf(memory: Memory): NonNullable<Body['totals']> {
  const { active, dormant, pinned, removed, capacity } = memory.stats();
  return { active, dormant, pinned, dropped: removed, capacity };
}
