/**
 * schemathesis compares the served OpenAPI with the running api in every role: no status of 500 or above, no status
 * that the document lacks, no body that violates its schema.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agentToken, startTestVillage, TOKENS, type TestVillage } from '../../api/server/src/testing/test-village.ts';
import { runSchemathesis } from './schemathesis.ts';

const FULL = process.env['HAMLET_TEST_FULL'] === '1';
/**
 * Some hundred requests in each role; in a full run all boundary values of the document and many more requests: at
 * least 20,000 together.
 */
const EXTENT = FULL
  ? ({ phases: ['examples', 'coverage', 'fuzzing', 'stateful'], examples: 40 } as const)
  : ({ phases: ['examples', 'fuzzing'], examples: 1 } as const);
const LEAST_CASES = FULL ? 4_000 : 100;
const SEED = 20_261_122;

let village: TestVillage;
let url = '';

before(async () => {
  village = await startTestVillage();
  // With the agent's ten requests a minute, nearly all answers would be refusals.
  await village.liftRequestLimits();
  url = (await village.startReplica()).peopleUrl;
});
after(() => village.remove());

/** The admin comes last, because an admin bans agents and changes accounts. */
const ROLES = [
  ['visitor', undefined],
  ['operator', TOKENS.operator],
  ['agent', agentToken('ada')],
  ['member', TOKENS.member],
  ['admin', TOKENS.admin],
] as const;

for (const [role, token] of ROLES)
  test(`the answers of the api to a ${role} match its document`, async () => {
    const { exitCode, cases, output } = await runSchemathesis({ url, token, ...EXTENT, seed: SEED });
    assert.equal(exitCode, 0, output);
    assert.ok(cases >= LEAST_CASES, `only ${cases} requests were made\n${output}`);
  });
