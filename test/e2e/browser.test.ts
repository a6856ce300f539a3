/**
 * A person in the browser sees two agents of two nodes walk in one world, and buttons change their custom resources.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../local/village/paths.ts';
import { until } from '../env/until.ts';
import { signIn, openBrowser, type TestBrowser } from '../env/browser.ts';
import { agentOf, getObject, untilReady, village, type Village } from '../env/village.ts';

const OUTPUT = join(ROOT, 'test/output');
/** The page draws the ground coarsely first, and refines it with each frame. */
const SETTLE_MS = 3_000;
const AGENTS = ['ada', 'bob'] as const;
/** Time after which an agent that has not moved is sent again: at night its next turn sends it back to bed. */
const SEND_AGAIN_MS = 5_000;
/** Destinations of each agent, so that both walk also at night, when agents sleep at home. */
const DESTINATIONS = { ada: ['square', 'board'], bob: ['market', 'square'] } as const;

interface AgentObject {
  readonly spec: { readonly power?: string; readonly rebootedAt?: string };
}

let place: Village;
let browser: TestBrowser;

before(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  place = await village();
  for (const agent of AGENTS) await untilReady(place, agent);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
});

/** Waits until the row of an agent in the list has the attributes; returns it. */
async function row(
  agent: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<{ x: number; y: number; node: string }> {
  const selector = `.agent-row[data-agent-id="${agent}"]${Object.entries(attributes)
    .map(([name, value]) => `[data-${name}="${value}"]`)
    .join('')}`;
  const element = await browser.page.waitForSelector(selector);
  const [x, y, node] = await Promise.all(
    ['data-x', 'data-y', 'data-node'].map(async (name) => element.getAttribute(name)),
  );
  return { x: Number(x), y: Number(y), node: node ?? '' };
}

/** Takes a screenshot when the page draws that many agents and its ground has had time to refine. */
async function shot(name: string, figures: number = AGENTS.length): Promise<void> {
  await until(
    `the map draws ${figures} agents`,
    async () => Number(await browser.page.locator('canvas[data-figures]').getAttribute('data-figures')) >= figures,
  );
  await browser.page.waitForTimeout(SETTLE_MS);
  await browser.page.screenshot({ path: join(OUTPUT, `village-${name}.png`) });
}

/** Sends an agent to its first destination at which it is not yet. */
async function send(agent: (typeof AGENTS)[number]): Promise<void> {
  for (const landmark_id of DESTINATIONS[agent]) {
    const outcome = await place.admin.raw.moveAgent({ agent_id: agent, landmark_id });
    if (outcome.ok && outcome.data.path_tiles > 3) return;
  }
}

test('two agents, one on each node, walk in the same world', async () => {
  await browser.page.goto(place.url);
  const nodes = [];
  for (const agent of AGENTS) nodes.push((await row(agent, { state: 'Online' })).node);
  assert.deepEqual(nodes.toSorted(), ['sparky1', 'sparky2']);
  await shot('both');
  for (const agent of AGENTS) {
    const from = await row(agent);
    let againMs = 0;
    // Evaluated from outside, because the page's content security policy forbids eval.
    await until(`${agent} walks on the screen`, async () => {
      const now = await row(agent);
      if (Math.hypot(now.x - from.x, now.y - from.y) > 1) return true;
      if (performance.now() < againMs) return false;
      await send(agent);
      againMs = performance.now() + SEND_AGAIN_MS;
      return false;
    });
  }
  await shot('moving');
});

test('kubectl get village shows the same state', async () => {
  const lines = (await place.kubectl(['get', 'village'])).split('\n');
  const [head = ''] = lines.filter((line) => line.includes('NODE'));
  for (const column of ['POWER', 'TIER', 'NODE', 'READY', 'REASON', 'AGE'])
    assert.ok(head.includes(column), `${column} in ${head}`);
  for (const agent of AGENTS) {
    const line = lines.find((text) => text.includes(`/${agent} `)) ?? '';
    assert.match(line, /\bAwake\b.*\btier-[01]\b.*\bsparky[12]\b.*\bTrue\b.*\bReady\b/);
  }
});

test('an admin signs in, and Suspend, Awaken and Reboot act on the custom resource', async () => {
  const { page } = browser;
  await signIn(page);
  await page.click('.agent-row[data-agent-id="bob"]');
  await page.click('[data-tab="now"]');

  await page.click('[data-verb="suspend"][aria-disabled="false"]');
  await row('bob', { state: 'Asleep' });
  assert.equal((await getObject<AgentObject>(place, 'agent', 'bob'))?.spec.power, 'Asleep');
  await shot('suspended', 1);

  await page.click('[data-verb="awaken"][aria-disabled="false"]');
  await row('bob', { state: 'Online' });
  assert.equal((await getObject<AgentObject>(place, 'agent', 'bob'))?.spec.power, 'Awake');

  const { cycle } = await untilReady(place, 'bob');
  await page.click('[data-verb="reboot"][aria-disabled="false"]');
  await page.locator('.lifecycle .notice-good', { hasText: /in cycle \d+/ }).waitFor();
  await shot('rebooted', 1);
  assert.notEqual((await getObject<AgentObject>(place, 'agent', 'bob'))?.spec.rebootedAt, undefined);
  assert.ok(((await untilReady(place, 'bob')).cycle ?? 0) > cycle);
  assert.equal((await agentOf(place, 'bob'))?.power, 'Awake');
});

test('the page logged no unexpected error', () => {
  // A visitor's page causes only one refusal: its question "who am I".
  assert.deepEqual(
    browser.errors.filter((error) => !error.includes('401')),
    [],
  );
});
