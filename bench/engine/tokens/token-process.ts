/**
 * Counts the tokens of each program, and writes them as JSON into the file that `TOKENS_FILE` names. A process of its own, because its
 * village ends with the tests of a file.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createModelPort } from '../../../agent-image/resident/src/engine/model-port.ts';
import { PRESETS } from '../../../agent-image/resident/src/acp/presets/programs.ts';
import { aHandsKit } from '../../../agent-image/resident/src/testing/a-hands-kit.ts';
import { performTask } from '../../../agent-image/resident/src/testing/a-task-run.ts';
import { fixedToken } from '../../../agent-image/resident/src/village/agent-token.ts';
import { startProgram, turnOf } from '../../../test/clients/acp-driver.ts';
import { CONTEXT_TOKENS, startModelRig } from '../../../test/clients/model-rig.ts';
import { openProgramsPlace } from '../../../test/clients/program-place.ts';
import { FINISHED, startStepMind, StepMind, type Counted } from './step-mind.ts';
import { STEPS, writeStepFiles } from './step-script.ts';

const TASK = 'Run the steps of this task one after the other, and say when all of them are done.';
const PEERS = ['claude-code', 'codex', 'opencode', 'pi'] as const;

/** Budgets of a run in a tier of 50 million tokens an hour. */
const BUDGETS = { steps: 1_000, tokens: 50_000_000, money: '500', timeMs: 3_600_000, idleCalls: 10 };

const mind = new StepMind(STEPS);
const rig = await startModelRig(() => startStepMind(mind));
const { place, prepared } = await openProgramsPlace(rig);
writeStepFiles(place.cwd);
const counted: Record<string, Counted> = {};

/** The last words of our engine. */
async function ours(): Promise<string> {
  const model = createModelPort({ url: rig.url, tokens: fixedToken(rig.token), leaseOf: () => 1 });
  const hands = aHandsKit({ socket: place.socket, workspace: place.cwd });
  const ports = { model, hands, prompt: TASK, contextTokens: CONTEXT_TOKENS };
  const outcome = await performTask(ports, { run: { run_id: rig.run }, started: { budgets: BUDGETS } });
  return outcome.kind === 'done' ? outcome.text : JSON.stringify(outcome);
}

/** The words of another program. */
async function theirs(name: (typeof PEERS)[number]): Promise<string> {
  const preset = PRESETS.programs[name];
  assert.ok(preset !== undefined, `there is no preset ${name}`);
  const program = await startProgram(await prepared(preset), place);
  try {
    return (await turnOf(program, { text: TASK })).words;
  } finally {
    await program.end();
  }
}

for (const name of ['hamlet', ...PEERS] as const)
  test(`${name} does all steps of the script`, async (context) => {
    const words = name === 'hamlet' ? await ours() : await theirs(name);
    const counts = mind.take();
    context.diagnostic(`${name}: ${JSON.stringify(counts)}`);
    assert.equal(counts.steps, STEPS.length, `it ended early: ${words.slice(-500)}`);
    assert.ok(words.endsWith(FINISHED), words.slice(-500));
    counted[name] = counts;
  });

test('the counts are written', () => {
  assert.equal(Object.keys(counted).length, PEERS.length + 1, 'a program failed, so that nothing can be compared');
  writeFileSync(process.env['TOKENS_FILE'] ?? '', JSON.stringify(counted));
});
