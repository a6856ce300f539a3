import type { KeptSummary, ToolResult } from '@hamlet/engine';
import type { Remembered } from '@hamlet/engine/memory';
import { memoryReaderOf, noteMemories, type NotedMemories, type RunBook } from '../engine/run-book.ts';
import { isSummary, summaryId, type NewSummary } from '../memory/kept-summary.ts';
import type { KeptWords, OwnMemory, SaidWords } from '../memory/own-memory.ts';
import type { Reader } from '../memory/recall.ts';
import { DIARY_SESSION, lineOf, OWN_NAME } from '../memory/remembered.ts';
import type { Log } from '../process/json-log.ts';
import type { RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { wordIdsOf } from './words-of-run.ts';

/** Maximum number of memories in an answer to a person who asks what the agent knows. */
const NAMED_MAX = 12;
/** Maximum number of conversations whose newest message is known by its id. */
const CONVERSATIONS_MAX = 1_000;
const LISTED_MAX = 100;
/** Maximum number of summaries of runs that have not ended. */
const SUMMARIES_MAX = 16;

/** The agent's memory in the runs of this process. */
export interface RunMemory {
  /** Takes a summary, which `keep` stores with the words of its run. A later one of the run replaces it. */
  summarized(summary: KeptSummary): void;
  /**
   * Keeps the words of a run, and its summary, once the API knows of them, so that those of a tainted run are marked. A run without
   * words leaves no summary. Never rejects.
   */
  keep(run: string, words: readonly SaidWords[]): Promise<void>;
  /** Names the agent's memories of the people of a run, newest first. */
  recall(run: string): Promise<ToolResult>;
  /** Forgets the newest message of a conversation, with its answer. */
  forgetLast(run: string, conversation: string): ToolResult;
}

interface Ports extends RetryPorts {
  readonly ownMemory: Pick<OwnMemory, 'keepWords' | 'keepSummary' | 'list' | 'forget' | 'use'>;
  readonly catchUp: () => Promise<boolean>;
  readonly work: Pick<WorkVillage, 'noteMemories'>;
  readonly book: Pick<RunBook, 'find'>;
  readonly log: Pick<Log, 'warn'>;
  readonly stop: AbortSignal;
}

const done = (text: string): ToolResult => ({ outcome: 'done', text });
const NOTHING = done('I remember nothing of you yet.');

const NONE: NotedMemories = { tainted: [], forgotten: [] };

/** The ids of the newest message of each conversation, with its answer. */
function createLastMessages() {
  const last = new Map<string, readonly string[]>();
  return {
    note: (words: readonly SaidWords[], kept: readonly KeptWords[]): void => {
      const ids = kept.flatMap((id, index) => (words[index]?.session === DIARY_SESSION ? [] : (id ?? [])));
      const [first] = words;
      if (first === undefined || ids.length === 0) return;
      last.delete(first.session);
      last.set(first.session, ids);
      for (const oldest of last.keys()) if (last.size > CONVERSATIONS_MAX) last.delete(oldest);
    },
    take: (conversation: string): readonly string[] | undefined => {
      const ids = last.get(conversation);
      last.delete(conversation);
      return ids;
    },
  };
}

export function createRunMemory(ports: Ports): RunMemory {
  const { ownMemory, book, catchUp, log, stop: signal } = ports;
  const last = createLastMessages();
  const readerAt = (run: string): Reader => memoryReaderOf(book.find(run));
  const summaries = new Map<string, KeptSummary>();
  return {
    summarized: (summary) => {
      summaries.delete(summary.run);
      summaries.set(summary.run, summary);
      const [oldest = ''] = summaries.keys();
      if (summaries.size > SUMMARIES_MAX) summaries.delete(oldest);
    },
    keep: async (run, words) => {
      const summary = summaryWith(words, summaries.get(run));
      summaries.delete(run);
      if (words.length === 0) return;
      try {
        const written = [
          ...words.filter(({ mayBeOutside }) => mayBeOutside).map(({ id }) => id),
          ...(summary === null ? [] : [summary.id]),
        ];
        const noted = written.length === 0 ? NONE : await noteMemories(ports, { run, written, signal });
        if (noted === null) return;
        const kept = await ownMemory.keepWords(words, noted.tainted);
        last.note(words, kept);
        if (summary === null) return;
        const idOf = new Map(words.map(({ id }, index) => [id, kept[index] ?? null]));
        const from = summary.words.flatMap((id) => idOf.get(id) ?? []);
        await ownMemory.keepSummary({ ...summary, words: from, isOutside: noted.tainted.includes(summary.id) });
      } catch (error) {
        log.warn('words_not_kept', { run_id: run, why: error instanceof Error ? error.message : String(error) });
      }
    },
    recall: async (run) => {
      if (!(await catchUp())) return { outcome: 'failed', text: 'I cannot read my memory now.' };
      const known = ownMemory
        .list(readerAt(run), LISTED_MAX, { isPrivate: true, inForce: true })
        .filter(isOfPeople)
        .slice(0, NAMED_MAX);
      if (known.length === 0) return NOTHING;
      const noted = await noteMemories(ports, { run, recalled: known, signal });
      const kept = known.filter(({ id }) => noted?.forgotten.includes(id) === false);
      ownMemory.use(kept.map(({ id }) => id));
      return kept.length === 0 ? NOTHING : done(['I remember:', ...kept.map(lineOf)].join('\n'));
    },
    forgetLast: (run, conversation) => {
      const reader = readerAt(run);
      // The same words in an earlier conversation are one memory with these, so the list alone would name another message.
      const ids = last.take(conversation) ?? newestIn(ownMemory.list(reader, LISTED_MAX, { session: conversation }));
      const gone = ids.filter((id) => ownMemory.forget(id, reader));
      return done(gone.length === 0 ? 'There is nothing that I could forget.' : 'I have forgotten what you said last.');
    },
  };
}

/** A summary for the people of the run's words, which are its provenance. Pure. */
function summaryWith(
  words: readonly SaidWords[],
  summary: KeptSummary | undefined,
): Omit<NewSummary, 'isOutside'> | null {
  const said = words.filter(({ session }) => session === summary?.conversation);
  const [first] = [...said, ...words];
  if (summary === undefined || first === undefined || first.audience === 'public') return null;
  const { conversation, text, id: ref, earlier: runs } = summary;
  const { audience, repository } = first;
  const from = (said.length === 0 ? words : said).map(({ id }) => id);
  const earlier = runs.flatMap(wordIdsOf);
  return { id: summaryId(conversation, ref), conversation, text, audience, repository, words: from, earlier };
}

/** Words of people and notes about them; neither its own words nor summaries. */
const isOfPeople = (memory: Remembered): boolean =>
  !isSummary(memory) && (memory.kind === 'fact' || (memory.speaker !== OWN_NAME && memory.session !== DIARY_SESSION));

/** The newest message of a conversation, with its answer. */
function newestIn(words: readonly Remembered[]): readonly string[] {
  const message = words.find((each) => each.kind === 'evidence' && each.speaker !== OWN_NAME);
  return message === undefined ? [] : [message.id, message.id.replace(/-0$/, '-1')];
}
