/** `make bench-web`: what the web costs a browser, compared with bare scenes of PixiJS and Phaser. */
import { parseArgs } from 'node:util';
import { openSharedBrowser, type SharedBrowser, type TestBrowser } from '@hamlet/test/env/browser';
import { until } from '@hamlet/test/env/until';
import { openPage, PAGE_QUERIES, seriousFindings } from '@hamlet/test/env/web/axe';
import { builtWeb } from '@hamlet/test/env/web/built-web';
import { startViewerStage, type ViewerStage } from '@hamlet/test/env/web/web-viewers';
import { addToReport, medianOf, percentile, row, writeReport, type Row } from '../report.ts';
import { browserCpuPercent, firstTown, frameWork, panelTimes } from './measures.ts';
import { openScene, peerScenes } from './peer-scenes.ts';
import { MAP_SIDE, startWalkingVillage, WALKERS } from './walking-village.ts';
import { WITHOUT_DRAWING } from './without-drawing.ts';

const USAGE = `Usage: node bench/web/main.ts [--only PART] [--seconds N]

Opens villages in a headless Chromium without a graphics card and measures the web: a village of 1,000 agents that all walk, and one of
six at rest. Peers draw as many moving sprites and nothing else, in the same browser. Writes bench/results/web.json.
  --only     one of town, frames, panel, idle, axe; changes only its rows in the report
  --seconds  length of a trace (8); the idle tab is measured for three times as long
`;
const PARTS = ['town', 'frames', 'panel', 'idle', 'axe'] as const;
type Part = (typeof PARTS)[number];

const WINDOW = { width: 1_280, height: 900 };
const VISITS = 5;
const PANELS = 36;
const GOALS = { townMs: 2_000, frameMs: 4, panelMs: 100, bundleKb: 350, idlePercent: 1, serious: 0 };
/** Zooms at which all agents are in sight: as figures with arms and legs, and as dots. */
const ZOOMS = { figures: 17, dots: 14 };
const SETTLE_SECONDS = 3;
/** The mark of the connection pulses for the first 7 s, and the ground is painted meanwhile. */
const IDLE_AFTER_SECONDS = 12;

interface Bench {
  readonly browser: SharedBrowser;
  readonly webDir: string;
  readonly seconds: number;
  /** The village in which all agents walk. */
  readonly walking: () => Promise<string>;
  /** The village at rest, with the admin kim. */
  readonly resting: () => Promise<ViewerStage>;
}

async function town({ browser, webDir, walking, resting }: Bench): Promise<readonly Row[]> {
  const visits = async (url: string) => {
    const seen = [];
    for (let visit = 0; visit < VISITS; visit += 1) seen.push(await firstTown(browser, url, webDir));
    return seen;
  };
  const crowd = await visits(await walking());
  const few = await visits((await resting()).url);
  const files = [...(crowd[0]?.files ?? [])].toSorted(([, a], [, b]) => b - a);
  for (const [path, bytes] of files) console.log(`${String(bytes).padStart(8)} B gzip ${path}`);
  const median = (seen: typeof crowd, time: 'ms' | 'wholeMs'): number => medianOf(seen.map((each) => each[time]));
  return [
    row('firstTownMs.sixAgents', 'ms', { ours: median(few, 'ms'), target: GOALS.townMs }),
    row('firstTownMs.thousandWalkers', 'ms', { ours: median(crowd, 'ms'), target: GOALS.townMs }),
    row('wholeGroundMs.sixAgents', 'ms', { ours: median(few, 'wholeMs') }),
    row('wholeGroundMs.thousandWalkers', 'ms', { ours: median(crowd, 'wholeMs') }),
    row('firstPageGzipKb', 'KB', {
      ours: files.reduce((sum, [, bytes]) => sum + bytes, 0) / 1_000,
      target: GOALS.bundleKb,
    }),
  ];
}

async function viewerWithoutDrawing({ browser }: Bench): Promise<TestBrowser> {
  const viewer = await browser.viewer(WINDOW);
  await viewer.context.addInitScript(WITHOUT_DRAWING);
  return viewer;
}

const figuresOf = async ({ page }: TestBrowser): Promise<number> =>
  page.evaluate<number>(`Number(document.querySelector('canvas[data-figures]')?.dataset.figures ?? 0)`);

async function frames(bench: Bench): Promise<readonly Row[]> {
  const peers: Record<string, number> = {};
  for (const [name, scene] of Object.entries(await peerScenes())) {
    const viewer = await viewerWithoutDrawing(bench);
    await openScene(viewer, scene, { count: WALKERS, ...WINDOW });
    await viewer.page.waitForTimeout(SETTLE_SECONDS * 1_000);
    peers[name] = (await frameWork(viewer, bench.seconds)).frameP95Ms;
    await viewer.close();
  }
  const rows: Row[] = [];
  const url = await bench.walking();
  for (const [look, zoom] of Object.entries(ZOOMS)) {
    const viewer = await viewerWithoutDrawing(bench);
    await viewer.page.goto(`${url}/?x=${MAP_SIDE / 2}&y=${MAP_SIDE / 2}&z=${zoom}`);
    await until('all agents are in sight', async () => (await figuresOf(viewer)) === WALKERS);
    await viewer.page.waitForSelector('canvas[data-ground="whole"]');
    await viewer.page.waitForTimeout(SETTLE_SECONDS * 1_000);
    const work = await frameWork(viewer, bench.seconds);
    console.log(look, work);
    rows.push(
      row(`frameWorkP95Ms.${look}`, 'ms', { ours: work.frameP95Ms, peers, target: GOALS.frameMs }),
      row(`otherWorkMsPerSecond.${look}`, 'ms/s', { ours: work.otherMsPerSecond }),
    );
    await viewer.close();
  }
  return rows.map((each) => ({ ...each, ...ratioOf(each) }));
}

function ratioOf({ ours, peers }: Row): Pick<Row, 'ratio'> {
  const [first] = Object.values(peers);
  return first === undefined ? {} : { ratio: ours / first };
}

async function panel(bench: Bench): Promise<readonly Row[]> {
  const stage = await bench.resting();
  const kim = await viewerWithoutDrawing(bench);
  await stage.signIn(kim, 'kim');
  await openPage(kim.page, '');
  const [first = Number.NaN, ...later] = await panelTimes(kim, PANELS);
  await kim.close();
  return [
    row('panelMs.first', 'ms', { ours: first }),
    row('panelMs.median', 'ms', { ours: medianOf(later) }),
    row('panelMs.p95', 'ms', { ours: percentile(later, 0.95), target: GOALS.panelMs }),
  ];
}

async function idle({ browser, resting, seconds }: Bench): Promise<readonly Row[]> {
  const stage = await resting();
  const kim = await browser.viewer(WINDOW);
  await stage.signIn(kim, 'kim');
  await openPage(kim.page, '');
  await until('the map has agents', async () => (await figuresOf(kim)) > 0);
  await kim.page.waitForTimeout(IDLE_AFTER_SECONDS * 1_000);
  const ours = await browserCpuPercent(kim, 3 * seconds);
  await kim.close();
  return [row('idleCpuPercent', '%', { ours, target: GOALS.idlePercent })];
}

async function axe({ browser, resting }: Bench): Promise<readonly Row[]> {
  const stage = await resting();
  const kim = await browser.viewer();
  await stage.signIn(kim, 'kim');
  let serious = 0;
  for (const query of ['', ...PAGE_QUERIES]) {
    await openPage(kim.page, query);
    const found = await seriousFindings(kim.page, 'light');
    serious += found.length;
    for (const each of found) console.log(`${query} ${each}`);
  }
  await kim.close();
  return [row('axeSerious', 'faults', { ours: serious, target: GOALS.serious })];
}

const MEASURE: Readonly<Record<Part, (bench: Bench) => Promise<readonly Row[]>>> = { town, frames, panel, idle, axe };

/** Calls the start at first use, and keeps its result. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= start());
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, seconds: { type: 'string', default: '8' }, help: { type: 'boolean' } },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const parts = PARTS.filter((part) => values.only === undefined || values.only === part);
  if (parts.length === 0) throw new Error(`--only takes one of ${PARTS.join(', ')}\n\n${USAGE}`);
  await using ends = new AsyncDisposableStack();
  const browser = await openSharedBrowser();
  ends.defer(() => browser.close());
  const webDir = builtWeb();
  const bench: Bench = {
    browser,
    webDir,
    seconds: Number(values.seconds),
    walking: once(() => startWalkingVillage(ends, webDir)),
    resting: once(async () => {
      const stage = await startViewerStage({ kim: 'admin' });
      ends.defer(() => stage.remove());
      return stage;
    }),
  };
  const rows: Row[] = [];
  for (const part of parts) rows.push(...(await MEASURE[part](bench)));
  const write = parts.length === PARTS.length ? writeReport : addToReport;
  console.log(`written: ${write('web', rows)}`);
}

await main();
