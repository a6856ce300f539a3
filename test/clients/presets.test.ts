/**
 * Each preset of the runtime `acp` at its exact version, as a real program in real hands: a permission refused and one allowed, a
 * cancel, and a reboot in the middle of the conversation. Its model is a scripted one, through the door of a pod and the gateway; it
 * reaches nothing else, because telemetry and updates are off.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACP_PRESETS } from '@hamlet/contract';
import { PRESETS } from '../../agent-image/resident/src/acp/presets/programs.ts';
import { BROKER_HOST } from '../../agent-image/resident/src/hands/proxy-environment.ts';
import { startProgram, turnOf } from './acp-driver.ts';
import { ENDLESS, FINISHED, writing } from './coder-mind.ts';
import { startModelRig } from './model-rig.ts';
import { openProgramsPlace } from './program-place.ts';

const { hands, place, reached, prepared } = await openProgramsPlace(await startModelRig());

const has = (file: string): boolean => existsSync(join(place.cwd, file));

for (const [preset, program] of Object.entries(PRESETS.programs)) {
  const { title, version, asks } = ACP_PRESETS[preset as keyof typeof ACP_PRESETS];

  test(`${title} ${version} asks as its preset says, ends at a cancel, and continues after a reboot`, async () => {
    reached.length = 0;
    const first = await startProgram(await prepared(program), place);
    const refused = await turnOf(first, { text: writing(`${preset}-1.txt`), answer: 'reject_once' });
    assert.deepEqual([refused.asked > 0, has(`${preset}-1.txt`)], [asks, !asks], JSON.stringify(refused));
    const allowed = await turnOf(first, { text: writing(`${preset}-2.txt`) });
    assert.deepEqual([allowed.end, allowed.asked > 0, has(`${preset}-2.txt`)], ['answered', asks, true]);
    assert.match(allowed.words, new RegExp(FINISHED));
    assert.equal((await turnOf(first, { text: ENDLESS, cancelAt: 'one' })).end, 'cancelled');
    assert.equal(first.isOver(), false, 'the program ends its turn, and stays for the next');
    await hands.restart();
    const second = await startProgram(await prepared(program), place, first.session);
    assert.deepEqual([second.session, second.isNew], [first.session, false]);
    const later = await turnOf(second, { text: writing(`${preset}-3.txt`) });
    assert.deepEqual([later.end, has(`${preset}-3.txt`)], ['answered', true]);
    const outside = reached.filter((url) => !url.startsWith(`http://${BROKER_HOST}/npm/`));
    assert.deepEqual(outside, [], 'the program reaches its model, and at most the registry');
  });
}
