/**
 * In a real browser: activities of hands on the map and in the list; skills and capabilities in the panel; skills of a
 * run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PermissionPlay, type Working } from '../../../api/server/src/permissions/testing/permission-play.ts';
import type { AgentId } from '../../../api/server/src/testing/test-village.ts';
import { visit, type TestBrowser } from '../browser.ts';
import { until } from '../until.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const RULES = JSON.stringify([
  { tools: ['read', 'exec', 'write_inside'], verdict: 'allow' },
  { tools: ['stop_process'], verdict: 'ask', reason: 'It may be in use' },
]);
const ADA = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ada }
spec:
  displayName: Ada
  entitlement: { policy: Pinned, name: tier-1 }
  skills:
    - { name: write-a-patch }
    - { name: release-notes, from: Repository }
`;
const HASH = 'a1b2c3d4e5f60718'.repeat(4);
const CALLS = [
  ['ada', ['shell', { command: 'pytest -q' }]],
  ['bob', ['write_file', { path: 'a.txt', content: 'x' }]],
  ['cleo', ['shell', { command: 'curl -s https://example.org' }]],
  ['dan', ['read_file', { path: 'a.txt' }]],
] as const satisfies readonly (readonly [AgentId, readonly [string, object]])[];
const SEEN = { ada: 'building', bob: 'typing', cleo: 'browsing', dan: 'reading', eve: 'waiting' } as const;

let stage: ViewerStage;
let permits: PermissionPlay;
const streams: AbortController[] = [];
const working = new Map<string, Working>();
/** Interval of renewals; a run whose lease has lapsed shows no activity. */
const RENEW_MS = 5_000;
const leaving = new AbortController();
let renewing: Promise<void> = Promise.resolve();

before(async () => {
  stage = await startViewerStage({ kim: 'admin', environment: { HAMLET_TOOL_RULES: RULES }, agents: { ada: ADA } });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  renewing = keepRenewing();
  await beginAll();
  await reportAll();
});
after(async () => {
  leaving.abort();
  // No request may be pending when the village ends.
  await renewing;
  for (const stream of streams) stream.abort();
  await stage?.remove();
});

/** Holds an agent's stream of wakes, which keeps the agent connected. */
function connect(agentId: AgentId): void {
  const leave = new AbortController();
  streams.push(leave);
  const stream = permits.play.as(agentId).openWakes({ agent_id: agentId }, { signal: leave.signal });
  void (async () => {
    for await (const _event of stream);
  })().catch(() => {});
}

async function beginAll(): Promise<void> {
  for (const [agentId, [tool, args]] of CALLS) {
    connect(agentId);
    const run = await permits.startRun(agentId);
    working.set(agentId, run);
    assert.equal(await permits.begun(run, { tool, args }), 'begun');
  }
  connect('eve');
  const waiting = await permits.startRun('eve');
  const asked = { tool: 'stop_process', callId: '1.0', args: { process: '1.0' } };
  assert.ok((await permits.ask(waiting, asked)).ok);
  const { runId: run_id, cycle, attempt } = waiting;
  await permits.play.as('eve').waitRun({ run_id, cycle, attempt });
}

async function keepRenewing(): Promise<void> {
  while (!leaving.signal.aborted) {
    for (const { agentId, runId: run_id, cycle, attempt } of working.values())
      await permits.play.as(agentId).raw.renewRun({ run_id, cycle, attempt });
    await delay(RENEW_MS, undefined, { signal: leaving.signal }).catch(() => {});
  }
}

/** The report of Ada's resident, and the skills of its run. */
async function reportAll(): Promise<void> {
  const ada = permits.play.as('ada');
  const { cycle, attempt, runId: run_id } = working.get('ada') ?? assert.fail('Ada has no run');
  const fix = `read it, then write sha256: ${HASH} in spec.skills`;
  const body = {
    cycle,
    capabilities: [
      { kind: 'model' as const, name: 'model', ok: true, why: 'up-model, by up', fix: null },
      { kind: 'git' as const, name: 'git', ok: true, why: 'git is installed', fix: null },
      {
        kind: 'mcp' as const,
        name: 'tracker',
        ok: false,
        why: 'mcp_unreachable: the server tracker cannot be reached: connect ECONNREFUSED',
        fix: 'correct its address, allow its host in spec.egress, then reboot the agent',
      },
    ],
    skills: [
      {
        name: 'write-a-patch',
        from: 'image' as const,
        state: 'ready' as const,
        description: 'Turn a change of a repository into a patch that a person can review and apply.',
        sha256: HASH,
        files: ['SKILL.md'],
        problem: null,
      },
      {
        name: 'release-notes',
        from: 'repository' as const,
        state: 'broken' as const,
        description: null,
        sha256: HASH,
        files: ['SKILL.md'],
        problem: `no person has allowed this version of the repository: ${fix}`,
      },
    ],
  };
  await ada.reportCapabilities({ agent_id: 'ada', ...body });
  const claim = { cycle, attempt };
  const skills = [{ name: 'write-a-patch', from: 'image' as const, sha256: HASH }];
  await ada.pinSkills({ run_id, ...claim, skills });
  const why = 'The person asks for a change of the repository.';
  const load = { run_id, skill: 'write-a-patch', ...claim, call_id: '0.0', why };
  assert.ok((await ada.raw.loadSkill(load)).ok);
}

/** The badge of each drawn figure. */
const badges = (page: TestBrowser['page']): Promise<Readonly<Record<string, string | null>>> =>
  page.evaluate<Record<string, string | null>>(
    'Object.fromEntries((window.__hamlet?.figures ?? []).map(({ id, hands }) => [id, hands]))',
  );

testOnDevices('map and list show what agents do with their hands', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '');
  await page.waitForSelector('.map[data-figures]');
  // A phone shows only some of the houses.
  const isPhone = name === 'phone';
  await until(`the badges of ${Object.keys(SEEN).join(', ')}`, async () => {
    const drawn = await badges(page);
    const expected = Object.entries(SEEN).filter(([id]) => !isPhone || id in drawn);
    return expected.length > 0 && expected.every(([id, hands]) => drawn[id] === hands);
  });
  if (!isPhone)
    for (const [id, hands] of Object.entries(SEEN))
      await page.waitForSelector(`.agent-row[data-agent-id="${id}"] .agent-doing[data-hands="${hands}"]`);
  await stage.shot(viewer, `doing-${name}`);
});

testOnDevices('the panel shows skills and capabilities, and the page of a run its skills', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '?agent=ada&tab=now');
  const broken = page.locator('.condition[data-capability="tracker"]');
  await broken.waitFor();
  assert.match(await broken.innerText(), /MCP server tracker[^]*ECONNREFUSED[^]*Fix: correct its address/);
  const notes = page.locator('.skill[data-skill="release-notes"]');
  assert.match(await notes.innerText(), /Broken[^]*from its repository[^]*no person has allowed/);
  const patch = page.locator('.skill[data-skill="write-a-patch"]');
  await patch.getByText('The person asks').waitFor();
  await notes.scrollIntoViewIfNeeded();
  await stage.shot(viewer, `capabilities-${name}`);
  await visit(page, `?view=runs&run=${working.get('ada')?.runId ?? ''}`);
  const used = page.locator('.run-page .skill[data-skill="write-a-patch"][data-loaded="true"]');
  await used.waitFor();
  assert.match(await used.innerText(), /a1b2c3d4e5f6[^]*from its image · read[^]*The person asks/);
  await stage.shot(viewer, `run-skills-${name}`);
});

test('the badge disappears when the call has ended', async () => {
  const viewer = await stage.viewer({});
  const { page } = viewer;
  await page.goto(stage.url);
  const row = '.agent-row[data-agent-id="bob"] .agent-doing';
  await page.waitForSelector(`${row}[data-hands="typing"]`);
  await permits.finish(working.get('bob') ?? assert.fail('Bob has no run'), '1.0');
  await page.waitForSelector(`${row}:not([data-hands])`);
  await until('the badge is gone', async () => (await badges(page))['bob'] === null);
  await viewer.close();
});
