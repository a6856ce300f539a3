import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunCancelled, type AgentRuntime } from '../agent-runtime.ts';
import type { Journal } from '../journal/journal.ts';
import type { Notice } from '../loop/kit.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRunContext, aRunInput, aRuntimeConfig } from '../testing/an-engine.ts';
import { createCommandRuntime } from './command-runtime.ts';
import { ProgramError, type Program, type ProgramEnd, type ProgramPort } from './program-port.ts';

const journals = someJournals();

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

type Setting = Readonly<{
  journal: Journal;
  programs: ProgramPort | null;
  config?: Record<string, string>;
  notify?: (notice: Notice) => void;
}>;

async function aRuntime({
  journal,
  programs,
  config = { command: 'agent' },
  notify = () => {},
}: Setting): Promise<AgentRuntime> {
  const runtime = createCommandRuntime();
  await runtime.initialize(aRuntimeConfig(config), {
    engine: () => assert.fail('unused'),
    engineWith: async (parts) => anEngine({ journal, limits: { cancelGraceMs: 200 }, notify, ...parts }).engine,
    model: { chat: () => assert.fail('unused') },
    programs,
    mirrored: async () => {},
  });
  return runtime;
}

test('a command reads the prompt, streams its output, and ends with it as the answer: one call with the effect once', async () => {
  const journal = journals.open();
  const programs = somePrograms(async (_program, { onOutput }) => {
    onOutput('Fresh ');
    onOutput('bread.');
    return ended(0, 'Fresh bread.\n');
  });
  const words: string[] = [];
  const notify = (notice: Notice): void => void (notice.type === 'output' && words.push(notice.text));
  const outcome = await (await aRuntime({ journal, programs, notify })).execute(aRunInput(), aRunContext());
  assert.equal(words.join(''), 'Fresh bread.');
  assert.deepEqual(outcome, { kind: 'done', text: 'Fresh bread.' });
  const [program] = programs.started;
  assert.deepEqual([program?.argv, program?.stdin, program?.cwd], [['agent'], aRunInput().text, '/workspace']);
  const { SESSION_ID, REPO_PATH, MEMORY_PATH, REPO, BRANCH } = program?.env ?? {};
  assert.deepEqual(
    [SESSION_ID, REPO_PATH, MEMORY_PATH, REPO, BRANCH],
    ['s1', '/workspace', '/root/.mcp-memory/tools-0a1b2c3d/memory.jsonl', 'https://example.org/tools.git', 'main'],
  );
  const found = journal.eventsOf('r1');
  const intents = found.ok ? found.events.flatMap((event) => (event.type === 'tool_intent' ? [event.effect] : [])) : [];
  assert.deepEqual(intents, ['once']);
});

test('settings define the arguments with placeholders (no shell reads them), the variables and the folder', async () => {
  const programs = somePrograms(async () => ended(0, 'ok'));
  const config = {
    command: 'agent',
    args: '--print\n{prompt}\n--resume={session_id}\n{unknown}',
    env: 'MODE=fast\nREPO_PATH=/elsewhere\nASKS={model} for {agent_id}',
    cwd: '/srv',
  };
  await (await aRuntime({ journal: journals.open(), programs, config })).execute(aRunInput(), aRunContext());
  const [program] = programs.started;
  assert.deepEqual(program?.argv, ['agent', '--print', 'Bake bread; rm -rf $HOME', '--resume=s1', '{unknown}']);
  assert.deepEqual(
    [program?.stdin, program?.cwd, program?.env['MODE'], program?.env['REPO_PATH'], program?.env['ASKS']],
    ['', '/srv', 'fast', '/elsewhere', 'test for ada'],
  );
});

test('a program resumes its own conversation once the conversation has an answer', async () => {
  const journal = journals.open();
  const ends = [ended(1, '', 'no oven'), ended(0, 'one'), ended(0, 'two')];
  const programs = somePrograms(async () => ends.shift() ?? assert.fail('a fourth program'));
  const config = { command: 'agent', args: '--print', resume_args: '--resume={session_id}' };
  const runtime = await aRuntime({ journal, programs, config });
  for (const run of ['r1', 'r2', 'r3']) await runtime.execute(aRunInput({ run }), aRunContext());
  assert.deepEqual(
    programs.started.map(({ argv }) => argv),
    [
      ['agent', '--print'],
      ['agent', '--print'],
      ['agent', '--print', '--resume=s1'],
    ],
  );
});

test("each failed exit has its own code and quotes the program's output", async () => {
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
    const outcome = await runtime.execute(aRunInput(), aRunContext());
    assert.ok(outcome.kind === 'failed' && outcome.code === code, JSON.stringify(outcome));
    assert.match(outcome.message, message);
  }
});

test('an interrupted command asks a person, who can give either answer, and never runs again by itself', async () => {
  for (const answer of ['happened', 'repeat'] as const) {
    const [path, begun] = [journals.path(), Promise.withResolvers<void>()];
    const first = openSqliteJournal(path);
    const cut = somePrograms(async (_program, { signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ProgramError('hands_lost', 'the container ended', { started: true });
    });
    const abort = new AbortController();
    const runtimeBefore = await aRuntime({ journal: first, programs: cut });
    const work = runtimeBefore.execute(aRunInput(), aRunContext({ signal: abort.signal }));
    await begun.promise;
    abort.abort(new Error('the lease is lost'));
    assert.deepEqual(await work, { kind: 'interrupted' });
    first.close();
    const journal = openSqliteJournal(path);
    const programs = somePrograms(async () => ended(0, 'Second loaf.'));
    const runtime = await aRuntime({ journal, programs });
    const waiting = await runtime.execute(aRunInput(), aRunContext());
    assert.deepEqual(waiting, { kind: 'waiting', requests: ['r1/1.0/1'] });
    assert.deepEqual([programs.started, programs.closed], [[], ['r1']], "the earlier process's program is ended");
    const answers = [{ request: 'r1/1.0/1', answer }];
    const outcome = await runtime.execute(aRunInput({ answers }), aRunContext());
    assert.equal(outcome.kind, 'done');
    assert.equal(programs.started.length, answer === 'repeat' ? 1 : 0);
    if (answer === 'repeat') assert.notEqual(programs.started[0]?.id, cut.started[0]?.id);
  }
});

test('a cancel ends the program and names the call, and no output follows', async () => {
  const begun = Promise.withResolvers<void>();
  let late = (_text: string): void => {};
  const programs = somePrograms(async (_program, { onOutput, signal }) => {
    late = onOutput;
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { code: null, cause: 'request', stdout: NOTHING, stderr: NOTHING };
  });
  const journal = journals.open();
  const abort = new AbortController();
  const words: string[] = [];
  const notify = (notice: Notice): void => void (notice.type === 'output' && words.push(notice.text));
  const runtime = await aRuntime({ journal, programs, notify });
  const work = runtime.execute(aRunInput(), aRunContext({ signal: abort.signal }));
  await begun.promise;
  abort.abort(new RunCancelled('stop'));
  late('too late');
  assert.deepEqual(await work, { kind: 'cancelled', unsettled: ['1.0'] });
  assert.deepEqual(words, []);
  assert.equal(typesOf(journal, 'r1').at(-1), 'run_closed');
});

test('wrong settings and missing hands name the field to set; speech is refused', async () => {
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
  await assert.rejects(runtime.execute(speech, aRunContext()), { code: 'no_speech' });
});

test('the output of a command is held to the schema of its run, once, and its prompt ends with the schema', async () => {
  const schema = { type: 'object', properties: { loaves: { type: 'integer' } }, required: ['loaves'] };
  const answer = async (stdout: string) => {
    const programs = somePrograms(async () => ended(0, stdout));
    const runtime = await aRuntime({ journal: journals.open(), programs });
    const outcome = await runtime.execute(aRunInput({ output: { schema, answers: 5 } }), aRunContext());
    assert.equal(programs.started.length, 1);
    assert.ok(
      programs.started[0]?.stdin.endsWith(
        `[Answer]\nAnswer with one JSON value that fits this JSON schema, and nothing else:\n${JSON.stringify(schema)}`,
      ),
    );
    return outcome;
  };
  assert.deepEqual(await answer('Done: {"loaves":3}'), {
    kind: 'done',
    text: 'Done: {"loaves":3}',
    output: '{"loaves":3}',
  });
  const { kind, code, text, message } = { code: '', text: '', message: '', ...(await answer('Three.')) };
  assert.deepEqual([kind, code, text], ['failed', 'output_not_valid', 'Three.']);
  assert.match(message, /does not fit the output schema/);
});
