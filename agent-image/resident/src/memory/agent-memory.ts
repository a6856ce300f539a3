import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { MemoryChangeRefusal } from '@hamlet/contract/resident';
import { readJson } from '@hamlet/core/read-json';
import type { Memory, NewMemory } from '@hamlet/engine/memory';
import { z } from 'zod';
import { onceItSucceeds } from '../process/once-it-succeeds.ts';
import { recallMind } from '../loop/reflect.ts';
import { LifeMind, planInWords } from '../brain/life/life-mind.ts';
import { DayMind } from '../brain/mind.ts';
import type { Environment } from '../process/environment.ts';
import type { Log } from '../process/json-log.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { stateOf, type MemorySeed } from './entity.ts';
import { forgetfulLifeStore, openLifeStore, type LifeStore } from './life-store.ts';
import { createMemoryMirror } from './mirror/memory-mirror.ts';
import type { Applied } from './mirror/memory-reporter.ts';
import { moveOldNotes } from './old-notes.ts';
import { withStateDocument } from './state-life.ts';
import { createOwnMemory, NO_MEMORY, type OwnMemory } from './own-memory.ts';
import { createConversationReader, type ConversationReader } from './reading/conversation-reader.ts';

const LIFE_FILE = 'life.jsonl';
/** The file of versions that kept life and notes together. */
const OLD_FILE = 'memory.jsonl';
const STORE_FOLDER = 'memory';
/** The entity of the life with the number of the newest applied change by people. */
const APPLIED = 'memory-changes';

/** The state document of an agent: its day with its goal, and its plan with what it has learned. */
export const MindDocument = z.strictObject({ plan: DayMind, life: LifeMind }).partial();
const IN_DOCUMENT = ['plan', 'life'] as const;

/** The files of an agent's memory on its volume. */
export interface OpenedMemory {
  readonly life: LifeStore;
  /** Null if it cannot be used: the agent then remembers no facts and words. */
  readonly store: Memory | null;
  close(): void;
}

type Dirs = Pick<Environment, 'HAMLET_MEMORY_DIR' | 'HAMLET_STATE_DIR'>;

/** Opens life and store. A part that cannot be used is a warning, and the agent lives without it. */
export async function openAgentMemory(
  { HAMLET_MEMORY_DIR: folder, HAMLET_STATE_DIR: state }: Dirs,
  { seed, log }: { readonly seed: MemorySeed; readonly log: Log },
): Promise<OpenedMemory> {
  const warn = (what: string, error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    log.warn('capability', { code: 'memory_unusable', message: `${what}: ${why}` });
  };
  const life = lifeIn(folder, (error) => warn('cannot open the memory file, so it ends with this process', error));
  const store = await storeIn(join(state, STORE_FOLDER), seed).catch((error: unknown) => {
    warn('cannot open the memory of facts and words, so the agent remembers none', error);
    return null;
  });
  return {
    life: store === null ? life : withStateDocument(life, store.state(MindDocument), IN_DOCUMENT),
    store,
    close: () => {
      life.close();
      store?.close();
    },
  };
}

function lifeIn(folder: string, onError: (error: unknown) => void): LifeStore {
  try {
    return openLifeStore({ path: join(folder, LIFE_FILE), from: join(folder, OLD_FILE) });
  } catch (error) {
    onError(error);
    return forgetfulLifeStore();
  }
}

async function storeIn(dir: string, seed: MemorySeed): Promise<Memory> {
  const { openMemory } = await import('@hamlet/engine/memory');
  const store = openMemory({ dir });
  await store.remember(seed.entities.flatMap(factsOf));
  return store;
}

const factsOf = ({ name, observations }: MemorySeed['entities'][number]): readonly NewMemory[] =>
  observations.map((text) => ({
    kind: 'fact',
    id: `s-${createHash('sha256').update(`${name}\n${text}`).digest('hex').slice(0, 12)}`,
    text,
    subject: name,
    layer: 'profile',
    audience: 'public',
  }));

/** The agent's memory of facts and words, kept equal with what people see and change. */
export interface AgentMemory {
  readonly ownMemory: OwnMemory;
  /** Undefined for an agent whose store cannot be used. */
  readonly reader?: ConversationReader;
  /** Applies the changes of people; false if nothing may be recalled now. */
  readonly catchUp: () => Promise<boolean>;
  /** Exchanges with the API until the signal aborts. Never rejects. */
  readonly run: (stop: AbortSignal) => Promise<void>;
}

interface AgentMemoryPorts extends OpenedMemory {
  readonly folder: string;
  readonly cycle: number;
  readonly work: Pick<WorkVillage, 'syncMemory' | 'peopleOfSession'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

export function createAgentMemory({ life, store, folder, cycle, work, now, log }: AgentMemoryPorts): AgentMemory {
  if (store === null) return { ownMemory: NO_MEMORY, catchUp: async () => false, run: async () => {} };
  const mirror = createMemoryMirror({
    memory: store,
    sync: (body) => work.syncMemory({ cycle, ...body }),
    applied: {
      read: () => appliedIn(life),
      write: (applied) => life.remember(stateOf(APPLIED, applied)),
    },
    mind: () => mindOf(life),
    log,
  });
  const moved = onceDone(() =>
    moveOldNotes({ store, path: join(folder, OLD_FILE), peopleOf: peopleThrough(work) }).catch((error: unknown) => {
      log.warn('old_notes_not_moved', { why: error instanceof Error ? error.message : String(error) });
      throw error;
    }),
  );
  const catchUp = async (): Promise<boolean> => (await moved()) && mirror.catchUp();
  return {
    ownMemory: createOwnMemory(store, mirror.touch, now),
    reader: createConversationReader({ memory: store, life, catchUp, onChange: mirror.touch, now, log }),
    catchUp,
    run: async (stop) => {
      await moved();
      await mirror.run(stop);
    },
  };
}

const AppliedChanges = z.object({
  applied: z.int().min(0),
  life: z.string(),
  refused: z.array(z.object({ number: z.int().min(1), reason: MemoryChangeRefusal })).default([]),
});

const appliedIn = (life: LifeStore): Applied =>
  AppliedChanges.safeParse(readJson(life.recall(APPLIED)?.observations[0] ?? '')).data ?? { applied: 0 };

/** True once the work has succeeded; false after a failed attempt, and the next call tries again. */
function onceDone(work: () => Promise<void>): () => Promise<boolean> {
  const attempt = onceItSucceeds(work);
  return () =>
    attempt().then(
      () => true,
      () => false,
    );
}

const peopleThrough =
  ({ peopleOfSession }: Pick<WorkVillage, 'peopleOfSession'>) =>
  async (session: string): Promise<readonly string[] | null> => {
    const answer = await peopleOfSession(session);
    if (answer.kind === 'ok') return answer.value;
    if (answer.kind === 'refused' && answer.code === 'no_such_session') return null;
    throw new Error('the API did not name the people of a session');
  };

function mindOf(life: LifeStore): { readonly goal: string | null; readonly plan: string | null } {
  const { goal, life: lived } = recallMind(life);
  const plan = lived.plan.length === 0 ? '' : planInWords(lived.plan);
  return { goal: goal || null, plan: plan || null };
}
