/** A conversation whose agent changes its mind: one journal, the engine and a program in turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentRuntime, RuntimeOutcome } from '../agent-runtime.ts';
import { someJournals } from '../testing/a-tool.ts';
import { anEngine, aRunContext, aRunInput, aRuntimeConfig } from '../testing/an-engine.ts';
import { says, scriptedModel } from '../testing/scripted-model.ts';
import { createCommandRuntime } from './command-runtime.ts';
import { createEngineRuntime } from './engine-runtime.ts';
import type { ProgramPort } from './program-port.ts';

const journals = someJournals();
const COMMAND = { command: 'agent', resume_args: '--resume={session_id}' };

test('the engine reads what a program answered before, and a program resumes only what it answered itself', async () => {
  const journal = journals.open();
  const model = scriptedModel([says('Rye.'), says('Rye and spelt.')]);
  const { engine } = anEngine({ journal, model });
  const started: (readonly string[])[] = [];
  const programs: ProgramPort = {
    run: async ({ argv }) => {
      started.push(argv);
      return { code: 0, cause: 'exit', stdout: { text: 'Spelt.', bytes: 6 }, stderr: { text: '', bytes: 0 } };
    },
    end: async () => {},
  };
  const host = {
    engine: async () => engine,
    engineWith: async (parts: Parameters<typeof anEngine>[0] | object) => anEngine({ journal, model, ...parts }).engine,
    mirrored: async () => {},
    model,
    programs,
  };
  const [thinking, program] = [createEngineRuntime(), createCommandRuntime()];
  await thinking.initialize(aRuntimeConfig(), host);
  await program.initialize(aRuntimeConfig(COMMAND), host);
  const ask = (mind: AgentRuntime, run: string): Promise<RuntimeOutcome> =>
    mind.execute(aRunInput({ run, text: `Question ${run}` }), aRunContext());
  const outcomes = [
    await ask(thinking, 'r1'),
    await ask(program, 'r2'),
    await ask(program, 'r3'),
    await ask(thinking, 'r4'),
  ];
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.kind === 'done' ? outcome.text : outcome)),
    ['Rye.', 'Spelt.', 'Spelt.', 'Rye and spelt.'],
  );
  assert.deepEqual(started, [['agent'], ['agent', '--resume=s1']]);
  const read = model.requests[1]?.messages.flatMap(({ role, content }) => (role === 'tool' ? [] : [content])) ?? [];
  for (const text of ['Question r1', 'Rye.', 'Question r2', 'Spelt.', 'Question r4'])
    assert.ok(read.includes(text), `the engine does not read "${text}": ${read.join(' | ')}`);
});
