import { randomUUID } from 'node:crypto';
import { judgeCall } from '@hamlet/core/policy';
import type {
  ApprovalPort,
  Budgets,
  Engine,
  EngineParts,
  EnginePorts,
  KeptSummary,
  ModelPort,
  Notice,
  PolicyPort,
  Tool,
} from '@hamlet/engine';
import { createEngine, firstChars, JournalError, modelCompaction, RunFailure, SYSTEM_CLOCK } from '@hamlet/engine';
import { RUN_WORDS_MAX_CHARS } from '@hamlet/contract/resident';
import type { OwnMemory } from '../memory/own-memory.ts';
import type { Reader } from '../memory/recall.ts';
import { lineOf } from '../memory/remembered.ts';
import { recallShared, type RepositoryMemory } from '../memory/repository-memory.ts';
import type { Log } from '../process/json-log.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { createJournalMirror, type JournalMirror } from './journal-mirror.ts';
import { memoryReaderOf, noteMemories, type RunBook } from './run-book.ts';
import { openJournal } from './open-journal.ts';
import { shownTools } from '../toolset/shown-tools.ts';
import { toolRulesOf } from '../toolset/tool-rules.ts';

export interface EngineHostPorts extends RetryPorts {
  readonly journalPath: string;
  readonly work: WorkVillage;
  readonly model: ModelPort;
  readonly book: RunBook;
  readonly ownMemory: OwnMemory;
  readonly catchUp: () => Promise<boolean>;
  /** Takes the summary of a conversation for the agent's memory. */
  readonly onSummary: (summary: KeptSummary) => void;
  readonly repositoryMemory: RepositoryMemory;
  readonly log: Log;
  readonly stop: AbortSignal;
  /** The tools at each time. They wait for the mirror before they act outside the pod. */
  readonly tools: (mirrored: (run: string, signal: AbortSignal) => Promise<void>) => Promise<() => readonly Tool[]>;
}

export interface EngineHost {
  readonly engine: Engine;
  readonly mirror: JournalMirror;
  readonly tools: readonly Tool[];
  /** The parts of the agent's own engine, for another one that does its kind of work. */
  readonly own: Required<Pick<EnginePorts, 'journal' | 'model' | 'policy' | 'approvals' | 'compaction'>>;
  /** Another engine on the journal, with its own model and tools. Without a policy of its own, none judges these. It recalls no notes. */
  engineWith(parts: OtherParts): Engine;
  /** Raises the limits of a run, whichever engine works on it. */
  raise(run: string, budgets: Budgets): void;
  close(): Promise<void>;
}

type OtherParts = EngineParts &
  Partial<Pick<EnginePorts, 'toolsOf' | 'flow' | 'policy' | 'approvals' | 'compaction' | 'notify'>> & {
    /** The limits that a run gets of those that the API gives it; by default all. */
    readonly limitsOf?: (run: string, given: Budgets) => Budgets;
  };

interface Working {
  readonly engine: Engine;
  readonly limitsOf: NonNullable<OtherParts['limitsOf']>;
}

/** Opens the journal and starts an engine on it. Rejects with `RunFailure` if the journal cannot be used. */
export async function openEngineHost(ports: EngineHostPorts): Promise<EngineHost> {
  const { journalPath: path, work, log, stop, rest, random, book } = ports;
  const journal = await openJournal({ path, work, log, stop, rest, random }).catch((error: unknown) => {
    throw error instanceof JournalError ? new RunFailure(error.code, error.message) : error;
  });
  const mirror = createJournalMirror({ journal, work, book, log, rest, random });
  const words = createWordPublisher(ports);
  const own = {
    journal,
    model: ports.model,
    policy: policyOf(book),
    approvals: approvalsOf(ports),
    compaction: modelCompaction(ports.model, (name) => book.contextTokensOf(name)),
  };
  const shared = {
    journal,
    approvals: own.approvals,
    clock: SYSTEM_CLOCK,
    ids: { next: randomUUID },
    notify: (notice: Notice) => report({ log, mirror, words }, notice),
  };
  const tools = await ports.tools((run, signal) => mirror.flush(run, signal));
  const engine = createEngine({
    ...shared,
    ...own,
    get tools() {
      return tools();
    },
    offer: (run, all, calls) => shownTools(all, calls, toolRulesOf(book.find(run))),
    memory: memoryPort(ports),
  });
  let others: readonly Working[] = [];
  return {
    engine,
    mirror,
    get tools() {
      return tools();
    },
    own,
    engineWith: ({ limitsOf = (_run, given) => given, notify, ...parts }) => {
      const both = (notice: Notice): void => {
        shared.notify(notice);
        notify?.(notice);
      };
      const other = createEngine({ ...shared, ...ALONE, ...parts, notify: both });
      // The newest may not have begun yet.
      const kept = others.filter((each, at) => each.engine.active() > 0 || at >= others.length - NEWEST_KEPT);
      others = [...kept, { engine: other, limitsOf }];
      return other;
    },
    raise: (run, budgets) => {
      engine.raise(run, budgets);
      for (const other of others) other.engine.raise(run, other.limitsOf(run, budgets));
    },
    close: async () => {
      await Promise.all([engine, ...others.map((other) => other.engine)].map((each) => each.interrupt()));
      journal.close();
    },
  };
}

/** Number of the newest engines without work that the host keeps, because they may not have begun yet. */
const NEWEST_KEPT = 8;

/**
 * Recalls from the agent's own memory, and in a repository from that of the repository; a worker recalls nothing. Summaries become
 * memory once their run ends.
 */
function memoryPort(ports: EngineHostPorts): EnginePorts['memory'] {
  const { book, repositoryMemory, stop } = ports;
  return {
    keep: async (summary) => ports.onSummary(summary),
    recall: async ({ text, conversation, run }) => {
      const booked = book.find(run);
      if (booked === undefined || booked.isWorker === true) return [];
      const asked = { text, conversation, run, reader: memoryReaderOf(booked) };
      const own = await recallOwn(ports, asked);
      return repositoryMemory.has(run) ? [...own, ...(await recallShared(repositoryMemory, { run, text }, stop))] : own;
    },
  };
}

interface Recalling {
  readonly text: string;
  readonly conversation: string;
  readonly run: string;
  readonly reader: Reader;
}

async function recallOwn(
  ports: EngineHostPorts,
  { run, text, reader, conversation }: Recalling,
): Promise<readonly string[]> {
  const { ownMemory, catchUp, stop } = ports;
  if (!(await catchUp())) return [];
  const { memories: recalled, outside } = await ownMemory.recall(text, reader, conversation);
  const sources = ownMemory.documents?.sources({ audience: reader.present, place: reader.repository }) ?? [];
  const more = [...(outside === 0 ? [] : [moreOf(outside)]), ...(sources.length === 0 ? [] : [READ_DOCUMENTS])];
  if (recalled.length === 0) return more;
  const noted = await noteMemories(ports, { run, recalled, signal: stop });
  if (noted === null) return [];
  const kept = recalled.filter(({ id }) => !noted.forgotten.includes(id));
  ownMemory.use(kept.map(({ id }) => id));
  return [...kept.map(lineOf), ...more];
}

const moreOf = (outside: number): string =>
  `- Your memory has ${outside} more with text from outside: search_memories shows them.`;

/** The text of documents enters no prompt by itself: it would displace what people said. */
const READ_DOCUMENTS = '- You have read documents: search_memories finds their lines and cites them.';

const ALONE: Pick<EnginePorts, 'policy' | 'memory' | 'compaction'> = {
  compaction: null,
  policy: { judge: () => ({ verdict: 'allow', reason: '' }) },
  memory: { recall: async () => [] },
};

/** The API judges each call again. This early verdict saves requests, and asks people in time. */
const policyOf = (book: RunBook): PolicyPort => ({
  judge: ({ run, tool, arguments: text }) => {
    const policy = book.find(run)?.policy ?? null;
    if (policy === null) return { verdict: 'allow', reason: '' };
    return judgeCall(policy, { tool, when: 'run', input: JSON.parse(text === '' ? '{}' : text) });
  },
});

/** The tool for which a permission is the answer to its question. */
const QUESTION_TOOL = 'ask_human';

function approvalsOf({ work, book, log, stop, rest, random }: EngineHostPorts): ApprovalPort {
  return {
    ask: async ({ run, call, request, tool, arguments: args, why }) => {
      const booked = book.find(run);
      if (booked === undefined) return;
      const asked = {
        call_id: call,
        request,
        tool,
        arguments: args,
        why: tool === QUESTION_TOOL && why === 'policy' ? ('question' as const) : why,
      };
      const answer = await retry(() => work.askPermission(run, booked.lease, asked), stop, { rest, random });
      if (answer.kind === 'ok') return;
      log.warn('question_refused', { run_id: run, request, code: answer.code });
      booked.refused.add(request);
    },
  };
}

type Reporting = Pick<EngineHostPorts, 'log'> & { readonly mirror: JournalMirror; readonly words: WordPublisher };

function report({ log, mirror, words }: Reporting, notice: Notice): void {
  if (notice.type === 'event') mirror.noteEntry(notice.event.run);
  // People see the output of a call as the beginning of the next answer.
  if (notice.type === 'output') words.add(notice.run, Number.parseInt(notice.call, 10) + 1, notice.text);
  if (notice.type !== 'problem') return;
  const { run, where, error } = notice;
  log.warn('engine_problem', { run_id: run, where, why: error instanceof Error ? error.message : String(error) });
}

const WAIT_MS = 100;
/** Maximum words of one run that wait for a request; more are dropped, because the complete answer contains all of them. */
const MAX_WAITING_CHARS = 65_536;

interface WordPorts {
  readonly work: Pick<WorkVillage, 'publishWords'>;
  readonly book: Pick<RunBook, 'find'>;
}

interface WordPublisher {
  /** `ask` identifies the answer that will contain the words. */
  add(run: string, ask: number, text: string): void;
}

/** The words of one run that are being sent. Mutable, because they come and go. */
class Words {
  text = '';
  ask = 0;
  isSending = false;
}

function createWordPublisher({ work, book }: WordPorts): WordPublisher {
  const waiting = new Map<string, Words>();
  const send = async (run: string, words: Words): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    for (let booked = book.find(run); booked !== undefined && words.text !== ''; booked = book.find(run)) {
      const text = firstChars(words.text, RUN_WORDS_MAX_CHARS);
      words.text = words.text.slice(text.length);
      const answer = await work.publishWords(run, booked.lease, { ask: words.ask, text });
      if (answer.kind !== 'ok') break;
    }
    waiting.delete(run);
  };
  return {
    add: (run, ask, text) => {
      const words = waiting.get(run) ?? new Words();
      waiting.set(run, words);
      if (words.text.length < MAX_WAITING_CHARS) words.text += text;
      words.ask = ask;
      if (words.isSending) return;
      words.isSending = true;
      void send(run, words).catch(() => waiting.delete(run));
    },
  };
}
