import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../until.ts';
import { page, shot, signedIn, url } from './stage.ts';

/** Runs the callback when the list of agents shows the text. */
async function waitForRow(id: string, attribute: string, value: string): Promise<void> {
  await page.waitForSelector(`.agent-row[data-agent-id="${id}"][data-${attribute}="${value}"]`);
}

/** Position of an agent on the map, in tiles. */
async function drawn(id: string): Promise<{ readonly x: number; readonly y: number } | undefined> {
  return page.evaluate<{ x: number; y: number } | undefined>(
    `window.__hamlet?.agents.find((agent) => agent.id === '${id}')`,
  );
}

test('a visitor sees two agents move in one world', async () => {
  await page.goto(url);
  await waitForRow('ada', 'state', 'Online');
  await waitForRow('bob', 'state', 'Online');
  for (const id of ['ada', 'bob']) {
    const from = await until(`${id} is drawn`, () => drawn(id));
    // Evaluated from outside, because the page's content security policy forbids eval.
    await until(`${id} walks on the map`, async () => {
      const now = await drawn(id);
      return now !== undefined && Math.hypot(now.x - from.x, now.y - from.y) > 1;
    });
  }
  await shot('visitor');
});

/** Bytes of the scripts and styles that the page loaded, as sent and as read. */
const LOADED_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => /\\.(js|css)$/.test(name))
  .reduce(([sent, read], file) => [sent + file.encodedBodySize, read + file.decodedBodySize], [0, 0])`;

test('scripts and styles are sent compressed', async () => {
  const [sent = 0, read = 0] = await page.evaluate<number[]>(LOADED_BYTES);
  assert.ok(sent > 0 && sent < read / 2, `${sent} of ${read} bytes`);
});

/** Resizes the map, and counts what WebGL draws between the callbacks of that frame and its picture. */
const DRAWS_AFTER_RESIZE = `new Promise((resolve) => {
  const canvas = document.querySelector('canvas.map');
  const gl = canvas.getContext('webgl2');
  let draws = null;
  for (const name of ['drawElements', 'drawElementsInstanced', 'drawArrays']) {
    const draw = gl[name];
    gl[name] = (...values) => {
      if (draws !== null) draws += 1;
      draw.apply(gl, values);
    };
  }
  const watch = new ResizeObserver(() => {
    if (draws === null) return;
    watch.disconnect();
    canvas.style.height = '';
    resolve(draws);
  });
  watch.observe(canvas);
  setTimeout(() => {
    canvas.style.height = canvas.clientHeight - 40 + 'px';
    requestAnimationFrame(() => {
      draws = 0;
    });
  }, 100);
})`;

test('a resized map is drawn before the browser shows it', async () => {
  assert.ok((await page.evaluate<number>(DRAWS_AFTER_RESIZE)) > 0);
});

/** Horizontal distance in pixels between the drawn agent and the middle between the list of agents and its panel. */
const offCentre = (id: string): Promise<number> =>
  page.evaluate<number>(
    `(() => {
      const edge = (selector, side, other) => document.querySelector(selector)?.getBoundingClientRect()[side] ?? other;
      const { x = 0 } = window.__hamlet?.figures.find((figure) => figure.id === '${id}') ?? {};
      return Math.abs(x - (edge('.agents', 'right', 0) + edge('.inspector', 'left', innerWidth)) / 2);
    })()`,
  );

test('a followed agent is drawn in the middle between the panels, even if its panel arrives late', async () => {
  const { promise: shown, resolve: show } = Promise.withResolvers<void>();
  await page.route('**/assets/inspector-*.js', (route) => shown.then(() => route.continue()));
  await page.goto(`${url}/?agent=ada`);
  await until('ada is drawn beside the list', async () => (await offCentre('ada')) < 40);
  assert.equal(await page.locator('.inspector').count(), 0);
  show();
  await page.waitForSelector('.inspector h2');
  await until('ada is drawn between the panels', async () => (await offCentre('ada')) < 40);
  await page.goto(url);
});

test('a visitor can see an agent and not change it', async () => {
  await page.click('.agent-row[data-agent-id="ada"]');
  await page.waitForSelector('.inspector .conditions .condition');
  assert.equal(await page.getAttribute('[data-verb="suspend"]', 'aria-disabled'), 'true');
  assert.match(await page.innerText('.lifecycle'), /visitor/);
  await shot('inspector');
});

test('the tabs of an agent panel never cover its close button, at any scroll position', async () => {
  for (const width of [1280, 960, 400]) {
    await page.setViewportSize({ width, height: 500 });
    await until('the panel is scrolled', () =>
      page.evaluate<boolean>(
        `(() => { const panel = document.querySelector('.inspector'); panel.scrollTop = panel.scrollHeight; return panel.scrollTop > 200; })()`,
      ),
    );
    const [tab, close] = await Promise.all(
      ['[data-tab="diary"]', '.panel-close'].map((selector) => page.locator(selector).boundingBox()),
    );
    assert.ok(tab && close && tab.x + tab.width <= close.x, `${width} wide: ${JSON.stringify({ tab, close })}`);
    assert.ok(tab.y < close.y + close.height && close.y < tab.y + tab.height, 'both are at the top');
    await shot(`tabs-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the link of an invitation shows the name with which the person signs in', async () => {
  await page.goto(`${url}/#code=hic_123456789012&name=mo`);
  await page.waitForSelector('dialog [name="password"]');
  const name = page.locator('dialog [name="name"]');
  assert.deepEqual([await name.inputValue(), await name.isEditable()], ['mo', false]);
  await shot('invitation');
});

test('the first admin signs in with the code and suspends, awakens and reboots an agent', async () => {
  await signedIn('?agent=bob&tab=now');
  assert.doesNotMatch(page.url(), /code=/);
  await page.click('[data-verb="suspend"]');
  await waitForRow('bob', 'state', 'Asleep');
  await page.waitForSelector('[data-verb="reboot"][aria-disabled="true"]');
  await shot('asleep');
  await page.waitForSelector('[data-verb="awaken"][aria-disabled="false"]');
  await page.click('[data-verb="awaken"]');
  await waitForRow('bob', 'state', 'Online');
  await page.waitForSelector('[data-verb="reboot"][aria-disabled="false"]');
  await page.click('[data-verb="reboot"]');
  await page.locator('.lifecycle .notice-good', { hasText: /in cycle \d+/ }).waitFor();
  await shot('rebooted');
});

test('members read the diary of an agent', async () => {
  await page.click('[data-tab="diary"]');
  // New turns are added at the top; an opened turn must stay open.
  await page.click('.turns:not(.purposes) .turn summary');
  await page.waitForSelector('.turns:not(.purposes) details[open] dd');
  assert.match(await page.innerText('.turns:not(.purposes) details[open]'), /Decided/);
});

test('the acts of an agent are grouped by purpose, and purposes of the scripted mind are labelled', async () => {
  const purpose = page.locator('.purposes .turn', { hasText: /[1-9][0-9]* acts?/ }).first();
  await purpose.locator('summary').click();
  await purpose
    .locator('.purpose-acts li p', { hasText: /^Because: ./ })
    .first()
    .waitFor();
  await purpose.locator('.scripted').waitFor();
  await shot('purposes');
});
