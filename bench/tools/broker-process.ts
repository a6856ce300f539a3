/**
 * The broker with a village in memory: each attempt is judged and recorded, and recording is local. Its argument
 * is the port of the upstream; it sends the port of the broker to its parent.
 */
import { randomUUID } from 'node:crypto';
import { EgressPolicy } from '@hamlet/contract';
import { deny } from '@hamlet/core/egress';
import { Authority, Broker, createAuthority, systemNetwork, type Village } from '@hamlet/broker';

/** The broker refuses loopback, so the upstream's name has this public address, and each dial goes to loopback. */
const PUBLIC = '93.184.215.14';

async function serve(port: number): Promise<void> {
  const allow = [{ host: 'upstream.bench', ports: [port], methods: ['GET'], paths: ['/**'] }];
  const policy = EgressPolicy.parse({ version: '1', allow, deny: [], openings: [] });
  let attempts = 0;
  const village: Village = {
    admit: async () => ({ agent: 'ada', uid: 'ada', cycle: 1, policy }),
    begin: async (begun) => void (attempts += begun.length),
    end: async () => undefined,
    secret: async () => deny('egress_not_allowed', 'no secret'),
    permit: async () => 'allowed',
    permitHost: async () => 'allowed',
    withdraw: async () => undefined,
    onStopped: () => () => undefined,
  };
  const broker = new Broker({
    village,
    authority: new Authority(await createAuthority('bench', Date.now()), Date.now),
    network: { resolve: async () => [PUBLIC], dial: (_address, to) => systemNetwork.dial('127.0.0.1', to) },
    now: Date.now,
    newId: randomUUID,
  });
  broker.server.listen(0, '127.0.0.1', () => {
    const address = broker.server.address();
    if (address !== null && typeof address === 'object') process.send?.(address.port);
  });
}

await serve(Number(process.argv[2]));
