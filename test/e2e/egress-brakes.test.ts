/** Each measure against an agent, and the freeze of the village, ends the connections that its pod has open outside. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  banAgent,
  freezeAgent,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  liftTokenRevocation,
  quarantineAgent,
  revokeAgentToken,
} from '@hamlet/contract';
import { dataOf } from '../env/client.ts';
import { closeVillage, openVillage, startOutside, TLS_PORT, type Outside } from '../env/egress/outside.ts';
import { MARK } from '../env/egress/probe.ts';
import { recordRecovery, type RecoveryMetric } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const REASON = { reason: 'it calls strangers' };
const PAUSE_MS = 20;
const HOSTS = ['open.test', 'read.test'] as const;

interface Brake {
  readonly agent: string;
  readonly metric: RecoveryMetric;
  /** True if the pod stays, so that its programs see their connections end. */
  readonly podStays: boolean;
  readonly take: () => Promise<void>;
  readonly lift: () => Promise<void>;
}

let place: Village;
let outside: Outside;

type Taking =
  | typeof quarantineAgent
  | typeof freezeAgent
  | typeof banAgent
  | typeof killAgent
  | typeof revokeAgentToken;
type Lifting =
  | typeof liftQuarantine
  | typeof liftFreeze
  | typeof liftBan
  | typeof liftKill
  | typeof liftTokenRevocation;

function against(agent: string, metric: RecoveryMetric, [take, lift]: readonly [Taking, Lifting]): Brake {
  const params = { agent_id: agent };
  return {
    agent,
    metric,
    podStays: take === revokeAgentToken,
    take: async () => void dataOf(await place.admin.call(take, { params, body: REASON })),
    lift: async () => void (await place.admin.call(lift, { params })),
  };
}

const BRAKES: readonly Brake[] = [
  against('tunnel-rex', 'revocationToTunnelEndMs', [revokeAgentToken, liftTokenRevocation]),
  {
    agent: 'tunnel-rex',
    metric: 'villageFreezeToTunnelEndMs',
    podStays: true,
    take: async () => void (await place.admin.freezeVillage(REASON)),
    lift: async () => void (await place.admin.raw.liftVillageFreeze()),
  },
  against('tunnel-quinn', 'quarantineToTunnelEndMs', [quarantineAgent, liftQuarantine]),
  against('tunnel-fred', 'freezeToTunnelEndMs', [freezeAgent, liftFreeze]),
  against('tunnel-bea', 'banToTunnelEndMs', [banAgent, liftBan]),
  against('tunnel-kim', 'killToTunnelEndMs', [killAgent, liftKill]),
];
/** Two small nodes have no seats for more agents. */
const AGENTS = [...new Set(BRAKES.map(({ agent }) => agent))];

before(async () => {
  place = await village();
  outside = await startOutside();
  await openVillage(place, outside, {
    names: { [outside.address]: HOSTS },
    openings: HOSTS.map((host) => ({ host, ports: [TLS_PORT] })),
  });
  for (const host of HOSTS)
    outside.hosts.set(host, (_request, response) => {
      response.write(`${MARK}\n`);
      const beat = setInterval(() => response.write('.'), 100);
      response.on('error', () => undefined).once('close', () => clearInterval(beat));
    });
  const [tunnel, read] = HOSTS;
  const ports = [TLS_PORT];
  const allow = [
    { host: tunnel, ports },
    { host: read, ports, methods: ['GET'] },
  ];
  for (const agent of AGENTS) await applyAgent(place, agent, { egress: { allow } });
  for (const agent of AGENTS) await untilReady(place, agent);
});
after(async () => {
  for (const { lift } of BRAKES) await lift();
  await deleteAgents(place, AGENTS);
  await outside.close();
  await closeVillage(place);
});

/** Opens a connection to each host in a process of the hands, and prints when each has ended. */
const HOLD = `
  const net = require('node:net'), tls = require('node:tls');
  const { hosts, port } = JSON.parse(process.argv[1]);
  let open = hosts.length;
  for (const host of hosts) {
    const socket = net.connect(3128, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('CONNECT ' + host + ':' + port + ' HTTP/1.1\\r\\nHost: ' + host + ':' + port + '\\r\\n\\r\\n');
    socket.once('data', (answer) => {
      if (!answer.toString().includes(' 200 ')) { console.log('refused ' + answer); process.exit(1); }
      const secure = tls.connect({ socket, servername: host, rejectUnauthorized: false });
      secure.on('error', () => undefined).on('data', () => undefined);
      secure.write('GET /hold HTTP/1.1\\r\\nHost: ' + host + ':' + port + '\\r\\n\\r\\n');
      secure.once('close', () => { console.log('closed ' + host + ' ' + Date.now()); open -= 1; if (open === 0) process.exit(0); });
    });
  }
  setTimeout(() => process.exit(2), 110000);`;

for (const { agent, metric, podStays, take, lift } of BRAKES)
  test(`${metric.replace(/ToTunnelEndMs$/, '')}: tunnel and inspected connection of the pod end`, async (t) => {
    const { pod } = await untilReady(place, agent);
    const begin = outside.connections.length;
    const input = JSON.stringify({ hosts: HOSTS, port: TLS_PORT });
    const holding = place.tryKubectl(['exec', pod ?? '', '-c', 'hands', '--', 'node', '-e', HOLD, input]);
    const mine = (): Outside['connections'] => outside.connections.slice(begin);
    await until('both are open', async () => mine().length === HOSTS.length, { pauseMs: PAUSE_MS });
    assert.ok(mine().every(({ closedMs }) => closedMs === undefined));
    await take();
    const taken = Date.now();
    await until('both have ended', async () => mine().every(({ closedMs }) => closedMs !== undefined), {
      pauseMs: PAUSE_MS,
    });
    const ended = Math.max(...mine().map(({ closedMs = taken }) => closedMs));
    recordRecovery(metric, Math.max(0, ended - taken));
    const { stdout } = await holding;
    const inside = [...stdout.matchAll(/^closed (\S+) (\d+)$/gm)].map(([, host = '', at]) => ({
      host,
      ms: Number(at) - taken,
    }));
    t.diagnostic(
      `outside ${ended - taken} ms, inside ${inside.map(({ host, ms }) => `${host} ${ms} ms`).join(', ') || 'the pod was gone'}`,
    );
    if (podStays) assert.deepEqual(inside.map(({ host }) => host).toSorted(), [...HOSTS]);
    await lift();
  });

test('after the freeze of the village is lifted, agents reach allowed hosts again', async () => {
  const { pod } = await untilReady(place, 'tunnel-rex');
  const ask = ['curl', '-sk', '--max-time', '3', '-x', 'http://127.0.0.1:3128', `https://open.test:${TLS_PORT}/`];
  await until('it reaches', async () =>
    (await place.tryKubectl(['exec', pod ?? '', '-c', 'hands', '--', ...ask])).stdout.includes(MARK),
  );
});
