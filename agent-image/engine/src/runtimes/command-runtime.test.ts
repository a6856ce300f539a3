import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AgentRuntime, RunInput, RuntimeContext, RuntimeEvent, RuntimeOutcome } from '../agent-runtime.ts';
import { RunCancelled } from '../agent-runtime.ts';
import type { Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine } from '../testing/an-engine.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { createCommandRuntime } from './command-runtime.ts';
import type { Program, ProgramEnd, ProgramPort } from './program-port.ts';
import { ProgramError } from './program-port.ts';

const journals = someJournals();
after(journals.remove);

const NOTHING = { text: '', bytes: 0 };
const ended = (code: number, stdout: string, stderr = ''): ProgramEnd => ({
  code,
  cause: 'exit',
  stdout: { text: stdout, bytes: stdout.length },
  stderr: { text: stderr, bytes: stderr.length },
});

type Run = ProgramPort['run'];

function somePrograms(run: Run): ProgramPort & { readonly started: Program[]; readonly closed: string[] } {
  const [started, closed]: [Program[], string[]] = [[], []];
  return {
    started,
    closed,
    run: async (program, ports) => {
      started.push(program);
      return run(program, ports);
    },
    end: async (owner) => void closed.push(owner),
  };
}

type Setting = Readonly<{ journal: Journal; programs: ProgramPort | null; config?: Record<string, string> }>;

async function aRuntime({ journal, programs, config = { command: 'agent' } }: Setting): Promise<AgentRuntime> {
  const runtime = createCommandRuntime();
  const settings = {
    sessionId: 's1',
    repoPath: '',
    memoryPath: '',
    agentId: 'ada',
    displayName: 'Ada',
    persona: 'Curious.',
    settings: config,
  };
  await runtime.initialize(settings, {
    engine: () => assert.fail('unused'),
    engineWith: async (parts) => anEngine({ journal, limits: { cancelGraceMs: 200 }, ...parts }).engine,
    model: { chat: () => assert.fail('unused') },
    programs,
  });
  return runtime;
}

const unused = () => assert.fail('unused');
const anInput = (changes: Partial<RunInput> = {}): RunInput => ({
  kind: 'run',
  run: 'r1',
  text: 'Bake bread; rm -rf $HOME',
  prompt: { stable: 'You are Ada.', situation: '' },
  model: '',
  budgets: BUDGETS,
  answers: [],
  work: { surroundings: unused, go: unused, find: unused, say: unused, use: unused, look: unused },
  ...changes,
});

const aContext = (signal = new AbortController().signal): RuntimeContext => ({
  sessionId: 's1',
  memoryPath: '/root/.mcp-memory/tools-0a1b2c3d/memory.jsonl',
  repo: 'https://example.org/tools.git',
  branch: 'main',
  speaker: 'Bob',
  place: null,
  plan: '',
  seed: 1,
  signal,
});

async function eventsOf(events: AsyncIterable<RuntimeEvent>): Promise<readonly RuntimeEvent[]> {
  const list: RuntimeEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function outcomeOf(events: AsyncIterable<RuntimeEvent>): Promise<RuntimeOutcome> {
  const last = (await eventsOf(events)).at(-1);
  return last?.type === 'outcome' ? last.outcome : assert.fail('no outcome');
}

test('a command reads the prompt, its words stream, and its output is the answer: one call with the effect once', async () => {
  const journal = journals.open();
  const programs = somePrograms(async (_program, { hear }) => {
    hear('Fresh ');
    hear('bread.');
    return ended(0, 'Fresh bread.\n');
  });
  const events = await eventsOf((await aRuntime({ journal, programs })).execute(anInput(), aContext()));
  assert.equal(events.flatMap((event) => (event.type === 'words' ? [event.text] : [])).join(''), 'Fresh bread.');
  assert.deepEqual(events.at(-1), { type: 'outcome', outcome: { kind: 'done', text: 'Fresh bread.' } });
  const [program] = programs.started;
  assert.deepEqual([program?.argv, program?.stdin, program?.cwd], [['agent'], anInput().text, '/workspace']);
  const { SESSION_ID, REPO_PATH, MEMORY_PATH, REPO, BRANCH } = program?.env ?? {};
  assert.deepEqual(
    [SESSION_ID, REPO_PATH, MEMORY_PATH, REPO, BRANCH],
    ['s1', '/workspace', '/root/.mcp-memory/tools-0a1b2c3d/memory.jsonl', 'https://example.org/tools.git', 'main'],
  );
  const found = journal.eventsOf('r1');
  const intents = found.ok ? found.events.flatMap((event) => (event.type === 'tool_intent' ? [event.effect] : [])) : [];
  assert.deepEqual(intents, ['once']);
});

test('settings alone say how: arguments with placeholders, which no shell reads, variables and a folder', async () => {
  const programs = somePrograms(async () => ended(0, 'ok'));
  const config = {
    command: 'agent',
    args: '--print\n{prompt}\n--resume={session_id}\n{unknown}',
    env: 'MODE=fast\nREPO_PATH=/elsewhere',
    cwd: '/srv',
  };
  await outcomeOf((await aRuntime({ journal: journals.open(), programs, config })).execute(anInput(), aContext()));
  const [program] = programs.started;
  assert.deepEqual(program?.argv, ['agent', '--print', 'Bake bread; rm -rf $HOME', '--resume=s1', '{unknown}']);
  assert.deepEqual(
    [program?.stdin, program?.cwd, program?.env['MODE'], program?.env['REPO_PATH']],
    ['', '/srv', 'fast', '/elsewhere'],
  );
});

test('the exit decides: each failure has its code and says what the program said', async () => {
  const outcomes: [Awaited<ReturnType<Run>> | ProgramError, string, RegExp][] = [
    [ended(3, '', 'no oven'), 'command_failed', /exit code 3\. It said: no oven/],
    [{ ...ended(0, ''), code: null, cause: 'timeout' }, 'command_timed_out', /too long/],
    [{ ...ended(0, ''), code: null, cause: 'memory' }, 'command_out_of_memory', /memory/],
    [{ ...ended(0, ''), code: null, cause: 'disk' }, 'command_disk_full', /Remove files/],
    [
      new ProgramError('too_many', '32 processes run already', { started: false }),
      'command_not_started',
      /32 processes/,
    ],
  ];
  for (const [end, code, message] of outcomes) {
    const programs = somePrograms(async () => (end instanceof ProgramError ? Promise.reject(end) : end));
    const runtime = await aRuntime({ journal: journals.open(), programs });
    const outcome = await outcomeOf(runtime.execute(anInput(), aContext()));
    assert.ok(outcome.kind === 'failed' && outcome.code === code, JSON.stringify(outcome));
    assert.match(outcome.message, message);
  }
});

test('a command that was cut off asks a person, with both answers, and never runs again by itself', async () => {
  for (const answer of ['happened', 'repeat'] as const) {
    const [path, begun] = [journals.path(), Promise.withResolvers<void>()];
    const first = openSqliteJournal(path);
    const cut = somePrograms(async (_program, { signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ProgramError('hands_lost', 'the container ended', { started: true });
    });
    const abort = new AbortController();
    const work = outcomeOf(
      (await aRuntime({ journal: first, programs: cut })).execute(anInput(), aContext(abort.signal)),
    );
    await begun.promise;
    abort.abort(new Error('the lease is lost'));
    assert.deepEqual(await work, { kind: 'interrupted' });
    first.close();
    const journal = openSqliteJournal(path);
    const programs = somePrograms(async () => ended(0, 'Second loaf.'));
    const runtime = await aRuntime({ journal, programs });
    const waiting = await outcomeOf(runtime.execute(anInput(), aContext()));
    assert.deepEqual(waiting, { kind: 'waiting', requests: ['r1/1.0/1'] });
    assert.deepEqual([programs.started, programs.closed], [[], ['r1']], 'a program of the earlier process is ended');
    const answers = [{ request: 'r1/1.0/1', answer }];
    const outcome = await outcomeOf(runtime.execute(anInput({ answers }), aContext()));
    assert.equal(outcome.kind, 'done');
    assert.equal(programs.started.length, answer === 'repeat' ? 1 : 0);
    if (answer === 'repeat') assert.notEqual(programs.started[0]?.id, cut.started[0]?.id);
  }
});

test('a cancel ends the program, names the call, and no word follows', async () => {
  const begun = Promise.withResolvers<void>();
  let late = (_text: string): void => {};
  const programs = somePrograms(async (_program, { hear, signal }) => {
    late = hear;
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { code: null, cause: 'request', stdout: NOTHING, stderr: NOTHING };
  });
  const journal = journals.open();
  const abort = new AbortController();
  const work = eventsOf((await aRuntime({ journal, programs })).execute(anInput(), aContext(abort.signal)));
  await begun.promise;
  abort.abort(new RunCancelled('stop'));
  late('too late');
  const events = await work;
  assert.deepEqual(events.at(-1), { type: 'outcome', outcome: { kind: 'cancelled', unsettled: ['1.0'] } });
  assert.ok(!events.some((event) => event.type === 'words'));
  assert.equal(typesOf(journal, 'r1').at(-1), 'run_closed');
});

test('wrong settings and missing hands are named with the field to set; speech is refused', async () => {
  const journal = journals.open();
  const programs = somePrograms(async () => ended(0, ''));
  await assert.rejects(aRuntime({ journal, programs, config: {} }), /spec\.runtime\.config\.command/);
  await assert.rejects(
    aRuntime({ journal, programs, config: { command: 'x', env: 'oops' } }),
    /config\.env: write NAME/,
  );
  await assert.rejects(aRuntime({ journal, programs: null }), /spec\.hands\.enabled/);
  const runtime = await aRuntime({ journal, programs });
  const speech = { kind: 'speech', text: 'Hi', prompt: { stable: '', situation: '' }, model: '' } as const;
  await assert.rejects(outcomeOf(runtime.execute(speech, aContext())), { code: 'no_speech' });
});
