/** The mind of an agent that is a scripted program of the Agent Client Protocol, in real hands and with a real journal, without an API. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Permission } from '@hamlet/contract';
import {
  createEngine,
  openSqliteJournal,
  SYSTEM_CLOCK,
  type Notice,
  type Question,
  type RunInput,
  type RuntimeHost,
  type RuntimeOutcome,
} from '@hamlet/engine';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { createAcpRuntime } from '../acp-runtime.ts';
import { endLeftMinds, type AcpPorts } from '../conversation-program.ts';
import { IdlePrograms } from '../idle-programs.ts';
import { openSessionBook } from '../session-book.ts';
import { createRunBook, type BookedRun, type RunBook } from '../../engine/run-book.ts';
import { handsPrograms } from '../../hands/hands-programs.ts';
import type { BeginAnswer } from '../../hands/hands-tool.ts';
import type { AcpStep } from './acp-agent.ts';

export const hands = untilEnd(await startHands());
const state = testFolder('acp');
const AGENT = join(import.meta.dirname, 'acp-agent.ts');
/** The work tree of all runs. */
export const tree = join(hands.workspace, 'tree');
mkdirSync(tree);
export const SESSION = '6f1c1d52-0000-4000-8000-0000000000c1';
const BUDGETS = { steps: 100, tokens: 1_000_000, moneyMicros: 1_000_000, timeMs: 3_600_000, idleCalls: 10 };
export const unused = (): never => assert.fail('unused');
let runs = 0;

interface Village {
  /** Answers about the start of a call, by its tool. */
  readonly rules: Record<string, BeginAnswer>;
  /** The state of each permission that is asked for, and what the person wrote. */
  permission: Permission['state'];
  reply: string | null;
  /** Tool and arguments of each begun call of a run. */
  readonly started: Map<string, string>;
  readonly begun: { readonly call: string; readonly tool: string; readonly args: string }[];
  readonly ended: { readonly call: string; readonly kind: string }[];
  readonly asked: string[];
  /** How often the key of a program was ended. */
  keysEnded: number;
}

const aVillage = (): Village => ({
  rules: {},
  permission: 'pending',
  reply: null,
  started: new Map(),
  begun: [],
  ended: [],
  asked: [],
  keysEnded: 0,
});

interface Setting {
  readonly quirk?: string;
  readonly config?: Readonly<Record<string, string | undefined>>;
  readonly village?: Village;
  /** A folder of sessions of its own. */
  readonly name?: string;
  readonly session?: string;
}

let agents = 0;

/** The part of the API that a program's calls reach. */
const apiOf = (village: Village): Pick<AcpPorts, 'work' | 'callsWith'> => ({
  work: {
    askPermission: async (_run, _lease, { request }) => {
      if (!village.asked.includes(request)) village.asked.push(request);
      if (village.permission === 'allowed') village.rules['shell'] = { kind: 'begun' };
      return { kind: 'ok', value: { state: village.permission, reply: village.reply } as Permission };
    },
  },
  callsWith: () => ({
    begin: async ({ run, call }, { tool, args }) => {
      const known = village.started.get(`${run} ${call}`);
      if (known !== undefined && known !== `${tool} ${args}`)
        return { kind: 'failed', code: 'call_diverged', text: 'This call began with another tool or other arguments' };
      const answer = village.rules[tool] ?? { kind: 'denied', code: 'policy', text: 'no' };
      if (answer.kind === 'begun' && known === undefined) {
        village.started.set(`${run} ${call}`, `${tool} ${args}`);
        village.begun.push({ call, tool, args });
      }
      return answer;
    },
    end: async ({ run, call }, { outcome }) => {
      assert.ok(village.started.has(`${run} ${call}`), `${call} ends, but has not begun`);
      village.ended.push({ call, kind: outcome.kind });
      return null;
    },
  }),
});

const SERVERS: AcpPorts['mcpServers'] = [
  { name: 'files', url: null, command: ['npx', 'files'], class: null, tools: null, call_timeout_ms: 1 },
  { name: 'web', url: 'http://web.test/', command: null, class: null, tools: null, call_timeout_ms: 1 },
];

function portsOf(village: Village, folder: string, book: RunBook): AcpPorts {
  return {
    ...apiOf(village),
    rest: async () => {},
    random: () => 0,
    socket: hands.socket,
    workspace: hands.workspace,
    home: state,
    environmentOf: ({ run }) => ({ KEY_OF: book.find(run)?.runId ?? 'none' }),
    trees: { of: async () => ({ folder: tree, note: '' }) },
    ended: () => void (village.keysEnded += 1),
    book,
    sessions: openSessionBook(join(folder, 'sessions.json'), { warn: unused }),
    mcpServers: SERVERS,
    presets: async () => ({ programs: {}, prepare: unused }),
    log: { info: () => {}, warn: () => {} },
    idle: new IdlePrograms(),
    sweep: endLeftMinds,
  };
}

interface Records {
  readonly words: string[];
  readonly questions: Question[];
  /** Id, tool and outcome of each claim. */
  readonly claims: unknown[];
}

function hostOf({ words, questions, claims }: Records): RuntimeHost {
  const journal = untilEnd(openSqliteJournal(join(state, `journal-${(agents += 1)}.sqlite`)));
  const ports = {
    journal,
    policy: { judge: () => ({ verdict: 'allow' as const, reason: '' }) },
    approvals: { ask: async (question: Question) => void questions.push(question) },
    memory: { recall: async () => [] },
    clock: SYSTEM_CLOCK,
    ids: { next: unused },
    compaction: null,
    notify: (notice: Notice): void => {
      if (notice.type === 'output') words.push(notice.text);
      if (notice.type !== 'event' || notice.event.type !== 'program_noted') return;
      const { note, tool: name, outcome } = notice.event;
      claims.push([note, name, outcome]);
    },
  } as const;
  const limits = { cancelGraceMs: 3_000, interruptGraceMs: 100 };
  return {
    engine: unused,
    engineWith: async (parts) => createEngine({ ...ports, ...parts }, limits),
    model: { chat: unused },
    programs: handsPrograms(hands.socket),
    mirrored: async () => {},
  };
}

/** One process of a resident. */
export async function aMind({ quirk = '', config = {}, village = aVillage(), name, session = SESSION }: Setting = {}) {
  const folder = join(state, name ?? `agent-${(agents += 1)}`);
  mkdirSync(folder, { recursive: true });
  const book = createRunBook();
  const records: Records = { words: [], questions: [], claims: [] };
  const runtime = createAcpRuntime(portsOf(village, folder, book));
  const settings = { command: process.execPath, args: `${AGENT}\n${folder}\n${quirk}`, mode: 'ask', ...config };
  const paths = { repoPath: '/workspace', memoryPath: '/memory' };
  const agent = { agentId: 'ada', displayName: 'Ada', persona: '' };
  await runtime.initialize({ sessionId: session, ...paths, ...agent, settings }, hostOf(records));
  return { runtime, book, village, folder, ...records };
}

export type Mind = Awaited<ReturnType<typeof aMind>>;

function open({ book }: Mind, runId: string): void {
  const booked: Pick<BookedRun, 'runId' | 'lease' | 'model' | 'author' | 'repository'> = {
    runId,
    lease: { cycle: 1, attempt: 1 },
    model: { name: 'small', contextTokens: 8_000 },
    author: null,
    repository: null,
  };
  book.open({
    ...booked,
    audience: [],
    memoryAudience: null,
    policy: null,
    onLeaseLost: unused,
    refused: new Set(),
    refusals: new Map(),
  });
}

export const newRun = (): string => `6f1c1d52-0000-4000-8000-${String((runs += 1)).padStart(12, '0')}`;

export async function carryOut(
  mind: Mind,
  steps: readonly AcpStep[],
  { run = newRun(), signal = new AbortController().signal, answers = [] as RunInput['answers'] } = {},
): Promise<RuntimeOutcome> {
  open(mind, run);
  const input: RunInput = {
    kind: 'run',
    run,
    text: `SCRIPT ${JSON.stringify(steps)}`,
    prompt: { stable: 'You are Ada.', situation: 'It is noon.' },
    model: 'small',
    budgets: BUDGETS,
    answers,
    work: {
      surroundings: unused,
      go: unused,
      find: unused,
      say: unused,
      use: unused,
      look: unused,
      recall: unused,
      forget: unused,
    },
  };
  const context = { memoryPath: '', repo: null, branch: null, speaker: 'Bob', place: null, plan: '', seed: 1 };
  return mind.runtime.execute(input, { ...context, sessionId: SESSION, signal });
}
