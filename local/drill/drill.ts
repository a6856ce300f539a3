/** A drill: every brake of a village is pulled several times, and the village keeps the figures. */
import { dataOf, getVillageFreeze, getVillageSettings, listRuns, recordDrill } from '@hamlet/contract';
import type { Client, DrillFigure, DrillReport } from '@hamlet/contract';
import { measureBrake, type Measuring } from './figures.ts';
import type { Brake } from './measure.ts';

/** Brakes and the things that they need, which `remove` removes again. */
export interface Rig {
  readonly brakes: readonly Brake[];
  remove(): Promise<unknown>;
}

interface DrillOptions extends Measuring {
  readonly version: string;
  readonly say: (line: string) => void;
}

/** Why a drill must not begin now, or null. It stops the work of all agents for some seconds, several times. */
export async function reasonToWait(admin: Client, yes: boolean): Promise<string | null> {
  if ((await dataOf(admin.call(getVillageFreeze, {}))).frozen) return 'the village is frozen: lift the freeze first';
  const { settings } = await dataOf(admin.call(getVillageSettings, {}));
  if (settings.some(({ key, value }) => key === 'egress_open' && value === false))
    return 'every way out is closed in the settings: open it first';
  const { runs } = await dataOf(admin.call(listRuns, { query: { state: 'running', limit: 1 } }));
  return runs.length === 0 || yes
    ? null
    : 'agents are at work, and the drill freezes the village for some seconds, several times: wait, or begin it with YES=1';
}

async function measured(brake: Brake, options: DrillOptions): Promise<DrillFigure> {
  const beganMs = Date.now();
  const figure = await measureBrake(brake, options);
  const tookS = Math.round((Date.now() - beganMs) / 1000);
  options.say(
    `${figure.held ? '✓' : '✗'} ${brake.name}: p50 ${figure.p50_ms} ms, max ${figure.max_ms} ms (measured in ${tookS} s)`,
  );
  return figure;
}

/** Measures the brakes of `rigs` one after the other, removes the rigs, and records the figures in the village. */
export async function drill(
  admin: Client,
  rigs: readonly (() => Promise<Rig>)[],
  options: DrillOptions & { readonly leftOut: readonly string[] },
): Promise<DrillReport> {
  const figures: DrillFigure[] = [];
  for (const open of rigs) {
    const rig = await open();
    try {
      for (const brake of rig.brakes) figures.push(await measured(brake, options));
    } finally {
      await rig.remove();
    }
  }
  const report = { version: options.version, figures, left_out: [...options.leftOut] };
  await dataOf(admin.call(recordDrill, { body: report }));
  return report;
}
