/** A program that speaks the Agent Client Protocol as the mind of an agent: a scripted one in real hands, with a real journal. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RunCancelled, type AgentRuntime, type RuntimeOutcome } from '@hamlet/engine';
import { atEnd } from '@hamlet/test/env/at-end';
import type { AcpStep } from './testing/acp-agent.ts';
import { aMind, carryOut, hands, newRun, SESSION, tree, type Mind } from './testing/an-acp-mind.ts';
import { isAlive, soon } from '../testing/tool-calls.ts';

const shared = await aMind({ config: { mode: 'ask', env: 'MODEL={model}\nROOM={context}' } });
atEnd(() => shared.runtime.terminate());

/** The process that most tests use, with the rules and the records of a new one. */
function anUsedMind(): Mind {
  const { village, words, claims, questions } = shared;
  Object.assign(village, { permission: 'pending', reply: null });
  for (const tool of Object.keys(village.rules)) delete village.rules[tool];
  for (const list of [words, claims, questions, village.begun, village.ended, village.asked]) list.length = 0;
  return shared;
}

const say = (text: string): AcpStep => ({
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
});
const textOf = (outcome: RuntimeOutcome): string =>
  outcome.kind === 'done' ? outcome.text : assert.fail(JSON.stringify(outcome));
const end = ({ runtime }: { readonly runtime: AgentRuntime }) => runtime.terminate();

test('words are streamed and are the answer, a run has the key and the mode of its conversation, and its process serves the next run', async () => {
  const mind = anUsedMind();
  const first = await carryOut(mind, [
    say('Hello. '),
    { show: 'mode' },
    say(' '),
    { show: 'MODEL' },
    { show: 'ROOM' },
    { show: 'servers' },
  ]);
  assert.deepEqual(mind.runtime.program?.(), { name: 'Toy', version: '1.2.3', installed: null });
  const files = JSON.stringify([{ name: 'files', command: 'npx', args: ['files'], env: [] }]);
  assert.equal(textOf(first), `Hello. ask small8000${files}`);
  assert.equal(mind.words.join(''), textOf(first));
  const [one, other] = [await carryOut(mind, [{ show: 'pid' }]), await carryOut(mind, [{ show: 'pid' }])].map(textOf);
  assert.equal(one, other);
  assert.match(textOf(await carryOut(mind, [{ show: 'KEY_OF' }])), /^6f1c/);
});

test('a session reads once who its agent is, and in each run what is so now', async () => {
  const mind = await aMind();
  const [first, next] = [
    textOf(await carryOut(mind, [{ show: 'prompt' }])),
    textOf(await carryOut(mind, [{ show: 'prompt' }])),
  ];
  assert.match(first, /^<hamlet>\nYou are Ada\.\n<\/hamlet>\n\n<hamlet-now>\nIt is noon\.\n<\/hamlet-now>\n\nSCRIPT/);
  assert.match(next, /^<hamlet-now>/);
  await end(mind);
});

test('another process of the resident continues the session without its replay; a program that cannot begins a new one and says so', async () => {
  for (const quirk of ['', 'forgets', 'chokes']) {
    const name = `reboot-${quirk}`;
    const before = await aMind({ name, quirk });
    assert.equal(textOf(await carryOut(before, [{ show: 'session' }])), 's1');
    // The resident dies, and its program stays.
    const after = await aMind({ name, quirk });
    const answer = textOf(await carryOut(after, [{ show: 'session' }]));
    assert.equal(answer.split('\n\n').at(-1), quirk === '' ? 's1' : 's2');
    assert.equal(answer.includes('began a new one'), quirk !== '');
    assert.ok(!after.words.join('').includes('replayed'));
    await end(after);
    await end(before);
  }
});

test('plan, calls, changes and places are claims of the run', async () => {
  const mind = anUsedMind();
  const call = { toolCallId: 'c7', kind: 'edit', title: 'Edit' } as const;
  await carryOut(mind, [
    { update: { sessionUpdate: 'plan', entries: [{ content: 'Bake', status: 'pending', priority: 'high' }] } },
    { update: { sessionUpdate: 'tool_call', status: 'in_progress', ...call } },
    { update: { sessionUpdate: 'tool_call_update', toolCallId: 'c7', status: 'completed' } },
  ]);
  assert.deepEqual(mind.claims, [
    ['1.0.plan', 'program.plan', 'ok'],
    ['1.0.t1', 'program.edit', null],
    ['1.0.t1', 'program.edit', 'ok'],
  ]);
});

test('the rules of the village allow or refuse what a program asks for, once, and an allowed call has its end', async () => {
  const mind = anUsedMind();
  const ask = { kind: 'execute', rawInput: { command: 'npm test' } } as const;
  assert.equal(textOf(await carryOut(mind, [{ ask }])), 'id_reject_once');
  mind.village.rules['shell'] = { kind: 'begun' };
  const done = { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' } as const;
  assert.equal(textOf(await carryOut(mind, [{ ask }, { update: done }])), 'id_allow_once');
  assert.deepEqual(mind.village.begun, [{ call: '1.0.t1', tool: 'shell', args: '{"command":"npm test"}' }]);
  assert.deepEqual(mind.village.ended, [{ call: '1.0.t1', kind: 'ok' }]);
  assert.equal(textOf(await carryOut(mind, [{ ask, options: ['allow_always', 'reject_always'] }])), 'cancelled');
});

test('two requests of a program about one call, for a folder and for its command, become two calls of the village', async () => {
  const mind = anUsedMind();
  Object.assign(mind.village.rules, { shell: { kind: 'begun' }, program_act: { kind: 'begun' } });
  const folder = { kind: 'other', title: 'external_directory', rawInput: { filepath: '/tmp' } } as const;
  const command = { kind: 'execute', rawInput: { command: 'ls /tmp' } } as const;
  assert.equal(textOf(await carryOut(mind, [{ ask: folder }, { ask: command }])), 'id_allow_onceid_allow_once');
  assert.deepEqual(
    mind.village.begun.map(({ call, tool }) => [call, tool]),
    [
      ['1.0.t1', 'program_act'],
      ['1.0.t1.2', 'shell'],
    ],
  );
});

test('where the rules ask, the run waits for a person, whose answer holds once', async () => {
  const mind = anUsedMind();
  const { village } = mind;
  village.rules['shell'] = { kind: 'needs_permission', reason: 'ask' };
  const ask: AcpStep = { ask: { kind: 'execute', rawInput: { command: 'rm x' } } };
  const run = newRun();
  const waiting = carryOut(mind, [ask], { run });
  await soon(() => village.asked.length === 1);
  assert.deepEqual(village.asked, [`${run}/1.0.t1/1`]);
  village.permission = 'allowed';
  assert.equal(textOf(await waiting), 'id_allow_once');
  village.rules['shell'] = { kind: 'needs_permission', reason: 'ask' };
  village.permission = 'denied';
  assert.equal(textOf(await carryOut(mind, [ask])), 'id_reject_once');
  village.reply = 'Use the bin. SCRIPT [{"show":"prompt"}]';
  const words = 'A person refused your request (delete x) and wrote to you:\n';
  const named: AcpStep = { ask: { kind: 'execute', title: 'delete x', rawInput: { command: 'rm x' } } };
  assert.equal(
    textOf(await carryOut(mind, [named])),
    `id_reject_once\n\n${words}${village.reply}`,
    'the words of the person are the next prompt',
  );
  Object.assign(village, { permission: 'pending', reply: null });
  const cancel = new AbortController();
  const cancelled = carryOut(mind, [ask], { signal: cancel.signal });
  await soon(() => village.asked.length === 4);
  cancel.abort(new RunCancelled('stop'));
  assert.equal((await cancelled).kind, 'cancelled');
});

test('the program reads and writes files only below the work tree, and only as the rules allow', async () => {
  const mind = anUsedMind();
  writeFileSync(join(tree, 'notes'), 'flour\nwater\n');
  writeFileSync(join(hands.workspace, 'secret'), 'gold');
  symlinkSync(join(hands.workspace, 'secret'), join(tree, 'link'));
  const read = async (path: string) => textOf(await carryOut(mind, [{ read: path }]));
  assert.match(await read(join(tree, 'notes')), /^\[.*refused.*\]$/);
  mind.village.rules['read_file'] = { kind: 'begun' };
  assert.equal(await read(join(tree, 'notes')), 'flour\nwater');
  for (const path of [join(tree, '../secret'), join(tree, 'link'), '/etc/passwd', `${tree}/none`])
    assert.match(await read(path), /^\[.*\]$/, path);
  const write: AcpStep = { write: join(tree, 'new/bread'), content: 'fresh' };
  assert.match(textOf(await carryOut(mind, [write, say('after')])), /^\[.*refused.*\]after$/);
  assert.ok(!existsSync(join(tree, 'new/bread')));
  mind.village.rules['write_file'] = { kind: 'begun' };
  assert.equal(textOf(await carryOut(mind, [write, say('done')])), 'done');
  assert.equal(readFileSync(join(tree, 'new/bread'), 'utf8'), 'fresh');
  assert.match(textOf(await carryOut(mind, [{ write: join(tree, 'link'), content: 'lead' }])), /^\[.*\]$/);
  assert.equal(readFileSync(join(hands.workspace, 'secret'), 'utf8'), 'gold');
  assert.match(textOf(await carryOut(mind, [{ call: 'terminal/create' }])), /not found/i);
});

test('a cancel ends the turn; a program that does not obey is ended with all that it started', async () => {
  const mind = anUsedMind();
  const session = textOf(await carryOut(mind, [{ show: 'session' }]));
  const pid = Number(textOf(await carryOut(mind, [{ show: 'pid' }])));
  for (const deaf of [false, true]) {
    const cancel = new AbortController();
    const cancelled = carryOut(mind, [...(deaf ? [{ deaf } as const] : []), say('begun'), { until: '/none' }], {
      signal: cancel.signal,
    });
    mind.words.length = 0;
    await soon(() => mind.words.includes('begun'));
    cancel.abort(new RunCancelled('stop'));
    const { kind } = await cancelled;
    assert.equal(kind, 'cancelled');
    if (deaf) await soon(() => !isAlive(pid));
    else assert.equal(textOf(await carryOut(mind, [{ show: 'pid' }])), String(pid));
  }
  assert.equal(textOf(await carryOut(mind, [{ show: 'session' }])), session, 'a new process continues the session');
});

test('a program that ends in a prompt leaves its effect unknown: a person decides whether it runs again', async () => {
  const mind = anUsedMind();
  const run = newRun();
  const mark = join(tree, 'mark');
  const steps: readonly AcpStep[] = [{ write: mark, content: 'x' }, { exit: 7 }];
  mind.village.rules['write_file'] = { kind: 'begun' };
  const outcome = await carryOut(mind, steps, { run });
  assert.deepEqual(outcome, { kind: 'waiting', requests: [`${run}/1.0/1`] });
  assert.deepEqual(
    mind.questions.map(({ why, tool }) => [why, tool]),
    [['unknown', 'acp']],
  );
  const repeat = { run, answers: [{ request: `${run}/1.0/1`, answer: 'repeat' as const }] };
  assert.deepEqual(await carryOut(mind, steps, repeat), { kind: 'waiting', requests: [`${run}/1.0/2`] });
  assert.deepEqual(
    mind.village.begun.map(({ call }) => call),
    ['1.0.w1', '1.0.2.w1'],
  );
  const happened = { run, answers: [{ request: `${run}/1.0/2`, answer: 'happened' as const }] };
  assert.match(textOf(await carryOut(mind, steps, happened)), /A person confirmed/);
});

test('a program that refuses, stops at its own limit or fails ends the run with a reason, and keeps its process', async () => {
  const mind = anUsedMind();
  for (const [step, code, message] of [
    [{ stop: 'refusal' }, 'acp_refused', /refused\. It said: Sorry/],
    [{ stop: 'max_tokens' }, 'acp_cut', /max_tokens/],
    [{ fail: 'insufficient_quota' }, 'acp_failed', /insufficient_quota/],
  ] as const) {
    const failed = await carryOut(mind, [say('Sorry'), step]);
    assert.ok(failed.kind === 'failed', JSON.stringify(failed));
    assert.equal(failed.code, code);
    assert.match(failed.message, message);
  }
  const late = await aMind({ config: { timeout_s: '1' } });
  const outcome = await carryOut(late, [{ until: '/none' }]);
  assert.ok(outcome.kind === 'failed' && outcome.code === 'acp_timed_out', JSON.stringify(outcome));
  await end(late);
});

test('a program that does not start names its last words and the fix', async () => {
  for (const [setting, message] of [
    [
      { config: { command: 'sh', args: '-c\necho no configuration >&2; exit 3' } },
      /ended with code 3.*no configuration/,
    ],
    [{ quirk: 'newer' }, /version 9/],
    [{ config: { command: '/none/program', args: '' } }, /did not start/],
    [{ config: { mode: 'wild' } }, /no mode wild; its modes are auto, ask/],
  ] as const) {
    const mind = await aMind(setting);
    const failed = await carryOut(mind, [say('never')]);
    assert.ok(failed.kind === 'failed' && failed.code === 'acp_not_started', JSON.stringify(failed));
    assert.match(failed.message, message);
    await end(mind);
  }
  for (const config of [
    { preset: 'odd', command: '' },
    { command: 'x', preset: 'y' },
    { command: 'x', timeout_s: '0' },
  ])
    await assert.rejects(aMind({ config }), /spec\.runtime\.config/);
  await assert.rejects(
    aMind({ config: { preset: 'toys', command: undefined, args: undefined } }),
    { code: 'acp_misconfigured', message: /There is no preset toys\. Write one of: / },
    'before any run, so that the capabilities name it',
  );
});

test('a hostile program is bounded: noise, thousands of updates, a line without end, unknown methods', async () => {
  const noisy = anUsedMind();
  const many: readonly AcpStep[] = [
    { print: 'nonsense\n[1]\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"jsonrpc":"2.0","method":"odd"}\n' },
    { print: '{"jsonrpc":"2.0","method":7}\n' },
    { many: 2_000 },
  ];
  assert.equal(textOf(await carryOut(noisy, many)).length, 2_000);
  const run = newRun();
  const outcome = await carryOut(noisy, [{ print: 'x'.repeat(500_000), times: 40 }], { run });
  assert.equal(outcome.kind, 'waiting', JSON.stringify(outcome));
  assert.equal(textOf(await carryOut(noisy, [say('next')])), 'next');
});

test('the key of a program ends before the program, so that the next one of the conversation, which may start meanwhile, keeps its own', async () => {
  const mind = await aMind();
  await carryOut(mind, [say('hello')]);
  const before = mind.village.keysEnded;
  const ending = end(mind);
  assert.equal(mind.village.keysEnded, before + 1);
  await ending;
  assert.equal(mind.village.keysEnded, before + 1);
});

test('the program of a run without a session ends with the run', async () => {
  const run = newRun();
  const mind = await aMind({ session: run });
  const pid = Number(textOf(await carryOut(mind, [{ show: 'pid' }], { run })));
  await soon(() => !isAlive(pid));
  await end(mind);
});

test('speech is refused, and a new process of the resident ends the programs that an earlier one left', async () => {
  const mind = anUsedMind();
  const speech = { kind: 'speech', text: 'hi', prompt: { stable: '', situation: '' }, model: '' } as const;
  const context = { memoryPath: '', repo: null, branch: null, speaker: 'Bob', place: null, plan: '', seed: 1 };
  const signal = new AbortController().signal;
  await assert.rejects(mind.runtime.execute(speech, { ...context, sessionId: SESSION, signal }), /Send it a message/);
  const pid = Number(textOf(await carryOut(mind, [{ show: 'pid' }])));
  const other = await aMind({ session: '6f1c1d52-0000-4000-8000-0000000000c2' });
  await carryOut(other, [say('hello')]);
  await soon(() => !isAlive(pid));
  await end(other);
});
