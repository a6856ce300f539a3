import { MemoryId, SYNC_BODY_MAX_BYTES, SYNCED_MEMORIES_MAX, SyncedMemory } from '@hamlet/contract/resident';
import type { CallData, CallInput, MindState, syncAgentMemory } from '@hamlet/contract';
import type { Changes, Memory, Source } from '@hamlet/engine/memory';
import type { Log } from '../../process/json-log.ts';
import type { Answer } from '../../village/village.ts';
import { applyChange, idsOfChange } from './apply-change.ts';
import { syncedFrom, syncedMind, syncedSource } from './synced-memory.ts';

/** Maximum bytes of the memories in a report; the rest of its body is smaller. */
const REPORT_MAX_BYTES = SYNC_BODY_MAX_BYTES - 65_536;

type Body = Omit<CallInput<typeof syncAgentMemory>['body'], 'cycle'>;
type Synced = CallData<typeof syncAgentMemory>;

/** The newest applied change with the life that it belongs to, and the changes that could not be applied and are not reported yet. */
export type Applied = Pick<Body, 'applied' | 'life' | 'refused'>;

export interface ReporterPorts {
  readonly memory: Memory;
  readonly sync: (body: Body) => Promise<Answer<Synced>>;
  /** On the volume. */
  readonly applied: { read(): Applied; write(applied: Applied): void };
  readonly mind: () => MindState;
  readonly log: Pick<Log, 'warn'>;
}

export type Pushed = 'all' | 'more' | 'failed';

/** The exchanges with the API. */
export interface Reporter {
  /** Applies the changes of people; false if the API did not answer. */
  pull(): Promise<boolean>;
  /** Reports the next changes of the memory. */
  push(): Promise<Pushed>;
}

export function createReporter({ memory, applied, mind, log, sync }: ReporterPorts): Reporter {
  // True after the API has asked for all memories, until it has taken the first report of them.
  let begins = false;
  /** One request, and the commands of its answer. Null if the API refused it. */
  const ask = async (body: Omit<Body, keyof Applied>): Promise<Synced | null> => {
    const { refused = [], ...newest } = applied.read();
    const answer = await sync({ ...newest, ...(refused.length > 0 && { refused }), ...body });
    if (answer.kind !== 'ok') {
      log.warn('memory_not_synced', { why: answer.kind === 'refused' ? answer.detail : answer.kind });
      return null;
    }
    if (refused.length > 0) applied.write(newest);
    for (const command of answer.value.commands) {
      const reason = await applyChange(memory, command);
      memory.recheck(idsOfChange(command));
      const { refused: before = [] } = applied.read();
      const { number } = command;
      const now = reason === null ? before : [...before, { number, reason }];
      applied.write({ applied: number, life: answer.value.life, ...(now.length > 0 && { refused: now }) });
    }
    return answer.value;
  };
  return {
    pull: async () => {
      for (;;) {
        const answer = await ask({});
        if (answer === null) return false;
        if (answer.commands.length === 0) return true;
      }
    },
    push: async () => {
      const { from, to, more, ...rest } = reportOf(memory, log);
      const facts = { mind: syncedMind(mind()), totals: totalsOf(memory) };
      const answer = await ask({ ...facts, ...rest, copy: { from: begins ? [] : [...from], to } });
      if (answer === null) return 'failed';
      // The API may need several requests to clear an earlier copy.
      if (answer.begin === true && !begins) recheckAll(memory);
      begins = answer.begin === true;
      if (begins) return 'more';
      if (from[0] !== to) memory.settle(to);
      return more ? 'more' : 'all';
    },
  };
}

type Report = Pick<Changes, 'from' | 'to' | 'more'> & Required<Pick<Body, 'memories' | 'gone'>>;

function recheckAll(memory: Memory): void {
  memory.recheck([...sourcesOf(memory).keys()]);
  memory.recheck('all');
}

/** The documents, which are apart from the memories, by their ids. */
const sourcesOf = ({ documents }: Memory): ReadonlyMap<string, Source> =>
  new Map(documents.sources({ audience: 'keeper' }).map((source) => [source.id, source]));

/** The next changes that fit into a report. A memory that the API cannot show is left out. */
function reportOf(memory: Memory, log: ReporterPorts['log']): Report {
  const sources = sourcesOf(memory);
  for (let limit = SYNCED_MEMORIES_MAX; ; limit = Math.ceil(limit / 2)) {
    const { changed, gone, ...marks } = memory.changes(limit);
    const documents = gone.flatMap((id) => sources.get(id) ?? []).map(syncedSource);
    const memories = [...documents, ...changed.map((each) => syncedFrom(memory, each))].filter((each) =>
      isShowable(each, log),
    );
    if (limit === 1 || Buffer.byteLength(JSON.stringify(memories)) <= REPORT_MAX_BYTES)
      return { ...marks, memories, gone: gone.filter((id) => !sources.has(id) && MemoryId.safeParse(id).success) };
  }
}

function isShowable(memory: SyncedMemory, log: ReporterPorts['log']): boolean {
  const parsed = SyncedMemory.safeParse(memory);
  if (parsed.success) return true;
  log.warn('memory_not_shown', { id: memory.memory_id, why: parsed.error.issues[0]?.message });
  return false;
}

function totalsOf(memory: Memory): NonNullable<Body['totals']> {
  const { active, dormant, pinned, removed, capacity } = memory.stats();
  return { active, dormant, pinned, dropped: removed, capacity };
}
