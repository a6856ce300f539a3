/** The telemetry of runs of a real engine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Journal } from '../../journal/journal.ts';
import { aTool, echo, outcomeOf, someJournals } from '../../testing/a-tool.ts';
import { anEngine, aRequest } from '../../testing/an-engine.ts';
import { fold, only, sourcesOf, type Folded } from '../testing/fold-telemetry.ts';
import { answers, calls, fails, says, scriptedModel } from '../../testing/scripted-model.ts';
import type { TelemetryType } from './event.ts';

const journals = someJournals();

const typesOf = ({ events }: Folded): readonly TelemetryType[] => events.map(({ type }) => type);

/** The telemetry of a request, as a real engine reports it. */
async function reported(journal: Journal, parts: Omit<Parameters<typeof anEngine>[0], 'journal'>): Promise<Folded> {
  const { engine, notices } = anEngine({ journal, ...parts });
  await outcomeOf(await engine.start(aRequest()));
  return fold(notices, sourcesOf({}, { textOf: (ref) => journal.textOf(ref) }));
}

test('a run of the engine with tools gives the expected sequence, with the usage that the model reported', async () => {
  const model = scriptedModel([
    calls(['look', { text: 'a' }], ['post', { text: 'b' }]),
    fails('rate', true, 1),
    says('Done.'),
  ]);
  const post = aTool({ name: 'post', effect: 'once' }, async () => ({
    kind: 'failed',
    code: 'no_network',
    text: 'Down.',
  }));
  const folded = await reported(journals.open(), { model, tools: [echo('look', 'read'), post] });
  assert.deepEqual(typesOf(folded).toSorted(), [
    'error',
    'error',
    'model_called',
    'model_called',
    'model_called',
    'permission_checked',
    'permission_checked',
    'sensitive_call',
    'stage_finished',
    'stage_started',
    'task_created',
    'task_finished',
    'tool_called',
    'tool_called',
  ]);
  assert.deepEqual(typesOf(folded).slice(0, 3), ['task_created', 'stage_started', 'model_called']);
  assert.deepEqual(typesOf(folded).slice(-3), ['model_called', 'stage_finished', 'task_finished']);
  const [finished] = only(folded, 'task_finished');
  // The scripted model reports 10 and 5 tokens for each of three answers, and a cost of 1 micro for two of them. The
  // price is 1 micro for a token of the prompt, and 2 for one of the answer.
  assert.deepEqual(finished?.usage, {
    prompt_tokens: 30,
    completion_tokens: 15,
    total_tokens: 45,
    cost_micros: 60,
    money_micros: 2,
  });
  assert.equal(only(folded, 'task_created')[0]?.input, 'Hello');
});

test('a denied call is a denial with its reason, and no call', async () => {
  const model = scriptedModel([calls(['post', { text: 'b' }]), answers({ content: 'So be it.' })]);
  const policy = { judge: () => ({ verdict: 'deny', reason: 'Not today.' }) as const };
  const folded = await reported(journals.open(), { model, policy, tools: [echo('post', 'once')] });
  assert.deepEqual(
    only(folded, 'permission_denied').map(({ tool, code, message }) => [tool, code, message]),
    [['post', 'policy', 'Not today.']],
  );
  assert.deepEqual(only(folded, 'tool_called'), []);
  assert.deepEqual(only(folded, 'sensitive_call'), []);
});
