/**
 * Scripts under a real supervisor: languages, arguments, hostile texts and folders, results, cancel, and restarts of the
 * resident.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { ScriptDetail, ScriptLanguage } from '@hamlet/contract';
import type { Postponed, ToolOutcome } from '@hamlet/engine';
import { isAlive, pidsIn, soon } from '../../testing/tool-calls.ts';
import { type HandsEnd } from '../hands-tool.ts';
import { NO_CALL_LOG, aHandsKit, aScript, callContext, type CallPlace } from '../../testing/a-hands-kit.ts';
import { runScript } from './run-script.ts';

const VERSION = 'a'.repeat(32);
const hands = untilEnd(await startHands());
let last: HandsEnd | undefined;
let present: { readonly language: ScriptLanguage; readonly source: string } | null = null;

const detailOf = (language: ScriptLanguage, source: string): ScriptDetail =>
  aScript({ name: 'bake', description: 'Bakes', language, version: VERSION, source });

function prepared(given: object) {
  const kit = aHandsKit(hands, {
    calls: { ...NO_CALL_LOG, end: async (_context, end) => ((last = end), null) },
    readScript: async () =>
      present === null
        ? { kind: 'refused', code: 'no_such_script', detail: 'It is gone' }
        : { kind: 'ok', value: detailOf(present.language, present.source) },
  });
  const call = runScript(kit).prepare({ name: 'bake', version: VERSION, ...given });
  assert.ok(call.ok, JSON.stringify(call));
  return call.call;
}

async function run(
  language: ScriptLanguage,
  source: string,
  { given = {}, ...place }: CallPlace & { readonly given?: object } = {},
): Promise<ToolOutcome | Postponed> {
  present = { language, source };
  return prepared(given).execute(callContext(place));
}
async function textOf(language: ScriptLanguage, source: string, given: object = {}): Promise<string> {
  const outcome = await run(language, source, { given });
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  return outcome.kind === 'ok' ? outcome.text : '';
}
const fileOf = (name: string): string => join(hands.workspace, name);

test('a script in each language reads its arguments, and the log contains the source that ran', async () => {
  const given = { arguments: { path: 'a b; touch hacked', count: 3, dry: true } };
  const python = `import json, os; a = json.loads(os.environ['SCRIPT_ARGUMENTS']); print(os.environ['ARG_PATH'], a['count'] + 1, a['dry'])`;
  const node = `const a = JSON.parse(process.env.SCRIPT_ARGUMENTS); console.log(process.env.ARG_PATH, a.count + 1, a.dry)`;
  assert.match(
    await textOf('bash', 'echo "$ARG_PATH $((ARG_COUNT + 1)) $ARG_DRY $0"', given),
    /\na b; touch hacked 4 true bake\n/,
  );
  assert.match(await textOf('python', python, given), /\na b; touch hacked 4 True\n/);
  assert.match(await textOf('node', node, given), /\na b; touch hacked 4 true\n/);
  assert.ok(!existsSync(fileOf('hacked')));
  assert.match(
    String(last?.report.command),
    /^# bake a{32} \{"path":"a b; touch hacked","count":3,"dry":true\}\nconst a =/,
  );
});

test('a source that looks like an option runs as source', async () => {
  for (const [language, source] of [
    ['bash', '-c "touch option"'],
    ['python', '-c "touch option"'],
    ['node', '--version'],
  ] as const) {
    const outcome = await run(language, source);
    assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.code], ['failed', 'script_failed'], language);
  }
  assert.ok(!existsSync(fileOf('option')));
});

test('links and files in the folder cannot change the code that runs', async () => {
  const outside = fileOf('outside');
  mkdirSync(outside);
  for (const name of ['bake', 'bake.py', 'bake.sh']) symlinkSync('/etc/passwd', fileOf(name));
  writeFileSync(fileOf('json.py'), 'raise SystemExit("the file of the folder ran")\n');
  writeFileSync(fileOf('bash'), '#!/bin/sh\necho the program of the folder ran\n', { mode: 0o755 });
  const before = readdirSync(hands.workspace);
  assert.match(await textOf('python', 'import json; print(json.dumps([1]))'), /\n\[1\]\n/);
  assert.match(await textOf('bash', 'pwd; echo baked'), new RegExp(`\\n${hands.workspace}\\nbaked\\n`));
  assert.deepEqual(readdirSync(hands.workspace), before, 'the run writes no file');
  assert.equal(readFileSync('/etc/passwd', 'utf8').includes('baked'), false);
});

test('a long source runs completely, a failure has its exit code, and a timeout ends a script', async () => {
  const long = `${'# flour and water\n'.repeat(2_700)}echo the end`;
  assert.match(await textOf('bash', long), /\nthe end\n/);
  const failing = await run('python', 'import sys; print("half"); sys.exit(3)');
  assert.ok(failing.kind === 'failed' && failing.code === 'script_failed' && /^Exit code 3[^]*half/.test(failing.text));
  const slow = await run('bash', 'sleep 600', { given: { timeout_s: 1 } });
  assert.equal(slow.kind === 'failed' && slow.code, 'command_timed_out');
  present = null;
  const gone = await prepared({}).execute(callContext({}));
  assert.equal(gone.kind === 'failed' && gone.code, 'no_such_script');
});

test('a cancel ends a script with all that it started', async (context) => {
  const cancel = new AbortController();
  const source = `trap '' TERM; (setsid sh -c 'trap "" TERM; echo $$ >>cancelled; while :; do sleep 600; done' &); echo $$ >>cancelled; while :; do :; done`;
  const ended = run('bash', source, { signal: cancel.signal });
  await soon(() => pidsIn(fileOf('cancelled')).length === 2);
  const begun = performance.now();
  cancel.abort();
  assert.equal((await ended).kind, 'unknown');
  await soon(() => pidsIn(fileOf('cancelled')).every((pid) => !isAlive(pid)));
  context.diagnostic(`gone after ${Math.round(performance.now() - begun)} ms`);
});

test('a later process finds the result of a script even without its source; a script that never began counts as not done', async () => {
  const place = { run: 'lost', call: '7.0' };
  const first = new AbortController();
  void run('bash', 'echo once >>once; sleep 0.5; echo done', { ...place, signal: first.signal });
  await soon(() => pidsIn(fileOf('once')).length === 1);
  present = null;
  const found = await prepared({}).verify(callContext(place));
  assert.ok(
    found.kind === 'done' && found.outcome.kind === 'ok' && /\ndone\n/.test(found.outcome.text),
    JSON.stringify(found),
  );
  assert.equal(pidsIn(fileOf('once')).length, 1);
  assert.deepEqual(await prepared({}).verify(callContext({ ...place, call: '7.1' })), { kind: 'not_done' });
});
