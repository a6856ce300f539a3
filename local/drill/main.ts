import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createClient } from '@hamlet/contract';
import { z } from 'zod';
import { agentBrakes, liftDrillFreeze } from './agent-brakes.ts';
import { clusterAgent } from './cluster-agent.ts';
import { drill, reasonToWait, type Rig } from './drill.ts';
import { personBrakes } from './person-brakes.ts';
import { tableOf } from './figures.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const USAGE = `make drill: measures every brake of a running village

It makes an agent and an account of its own, lets them act, pulls each brake and looks for how long effects still come.
It freezes the village and closes its ways out for some seconds, TRIALS times each.

  TRIALS=5       trials of each brake, 5 to 20
  YES=1          also while agents are at work
  HAMLET_URL, HAMLET_TOKEN   another village than that of make up or make dev, with the token of an admin
`;
const TRIALS = z.coerce.number().int().min(5).max(20);
const Known = z.object({ url: z.string(), adminToken: z.string() });
const Version = z.object({ version: z.string() });

interface Place {
  readonly url: string;
  readonly token: string;
  /** False for `make dev`: its agents have neither pods nor hands. */
  readonly hasCluster: boolean;
}

function findVillage({ HAMLET_URL: url, HAMLET_TOKEN: token }: NodeJS.ProcessEnv): Place {
  if (url && token) return { url, token, hasCluster: true };
  for (const name of ['up.json', 'dev.json']) {
    const file = join(ROOT, '.hamlet', name);
    if (!existsSync(file)) continue;
    const known = Known.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { url: known.url, token: known.adminToken, hasCluster: name === 'up.json' };
  }
  throw new Error('no village runs here. Fix: make up, or set HAMLET_URL and HAMLET_TOKEN');
}

async function main(environment: NodeJS.ProcessEnv): Promise<number> {
  const { url, token, hasCluster } = findVillage(environment);
  const admin = createClient({ baseUrl: url, token });
  await liftDrillFreeze(admin);
  const wait = await reasonToWait(admin, environment['YES'] === '1');
  if (wait !== null) throw new Error(wait);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    // A second signal must not end the drill before it has released its brake.
    process.on(signal, () => ending.abort(new Error('ended by a signal: the brake under way was released')));

  const ofAgents = async (): Promise<Rig> => {
    const agent = await clusterAgent(admin);
    return { brakes: agentBrakes(admin, agent), remove: agent.remove };
  };
  const report = await drill(admin, [() => personBrakes(admin, url), ...(hasCluster ? [ofAgents] : [])], {
    version: Version.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).version,
    trials: TRIALS.parse(environment['TRIALS'] || 5),
    signal: ending.signal,
    say: console.log,
    leftOut: hasCluster ? [] : ['Brakes of agents: make dev has no pods; make up has'],
  });
  console.log(`\n${tableOf(report.figures)}\n`);
  for (const line of report.left_out) console.log(`left out: ${line}`);
  console.log('The village keeps these figures: page Audit, "Last drill".');
  return report.figures.every(({ held }) => held) ? 0 : 1;
}

if (process.argv.includes('--help')) console.log(USAGE);
else
  try {
    process.exitCode = await main(process.env);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
