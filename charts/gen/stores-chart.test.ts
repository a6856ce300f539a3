/** Renders the chart with Postgres and Redis of one's own, outside of the village. */
import assert from 'node:assert/strict';
import { test } from '@hamlet/test/env/cluster-test';
import { render, type Container, type Manifest } from './testing/render.ts';

const EXTERNAL = {
  postgres: {
    external: {
      host: 'db.example.org',
      port: 6432,
      database: 'meadow',
      secretName: 'db',
      caSecretName: 'db-ca',
      cidrs: ['203.0.113.7/32', '2001:db8::7/128'],
    },
  },
  redis: { external: { host: 'cache.example.org', secretName: 'cache', cidrs: ['203.0.113.8/32'] } },
};

const named = (manifests: readonly Manifest[], part: string): readonly string[] =>
  manifests
    .filter(({ metadata }) => metadata.name.includes(part))
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

/** The environment of a container by name: a value, or `secret/key`. */
function environmentOf(container: Container | undefined): Readonly<Record<string, string>> {
  const entries = container?.env?.map(({ name, value, valueFrom }) => {
    const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
    return [name, secret === undefined ? (value ?? '') : `${secret}/${key}`] as const;
  });
  return Object.fromEntries(entries ?? []);
}

async function apiPod(values: object): Promise<Manifest['spec']['template']['spec']> {
  const { code, output, manifests } = await render(values);
  assert.equal(code, 0, output);
  const api = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'hamlet-api');
  assert.ok(api !== undefined);
  return api.spec.template.spec;
}

test("with stores of one's own, the chart installs none: no pod, volume, password or policy of them", async () => {
  const { manifests } = await render(EXTERNAL);
  assert.deepEqual([named(manifests, 'postgres'), named(manifests, 'redis')], [[], []]);
  const { manifests: usual } = await render();
  assert.equal(named(usual, 'postgres').length, 6);
  assert.equal(named(usual, 'redis').length, 4);
});

test('the API checks the certificates, and takes the passwords from the Secrets of the values', async () => {
  const { initContainers, containers } = await apiPod(EXTERNAL);
  const [migrate, api] = [environmentOf(initContainers?.[0]), environmentOf(containers[0])];
  const url = (role: string): string =>
    `postgres://${role}@db.example.org:6432/meadow?sslmode=verify-full&sslrootcert=/etc/hamlet/postgres-ca/ca.crt`;
  assert.partialDeepStrictEqual(migrate, {
    HAMLET_POSTGRES_URL: url('app'),
    HAMLET_POSTGRES_PASSWORD: 'db/appPassword',
    HAMLET_POSTGRES_OWNER_URL: url('owner'),
    HAMLET_POSTGRES_OWNER_PASSWORD: 'db/ownerPassword',
  });
  assert.partialDeepStrictEqual(api, {
    HAMLET_POSTGRES_URL: url('app'),
    HAMLET_POSTGRES_PASSWORD: 'db/appPassword',
    HAMLET_REDIS_URL: 'rediss://cache.example.org:6379',
    HAMLET_REDIS_PASSWORD: 'cache/password',
  });
  for (const container of [initContainers?.[0], containers[0]])
    assert.equal(
      container?.volumeMounts?.some(({ name }) => name === 'postgres-ca'),
      true,
    );
});

test('Redis has TLS unless a value switches it off, and authorities of its own', async () => {
  const redisUrl = async (more: object): Promise<string | undefined> => {
    const external = { ...EXTERNAL.redis.external, ...more };
    return environmentOf((await apiPod({ redis: { external } })).containers[0])['HAMLET_REDIS_URL'];
  };
  assert.equal(await redisUrl({ tls: false }), 'redis://cache.example.org:6379');
  assert.equal(
    await redisUrl({ caSecretName: 'cache-ca' }),
    'rediss://cache.example.org:6379?sslrootcert=/etc/hamlet/redis-ca/ca.crt',
  );
});

test('the broker, the way out of agents, cannot connect to the addresses of the stores', async () => {
  const { manifests } = await render(EXTERNAL);
  const policy = manifests.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'hamlet-broker');
  const spec = policy?.spec as unknown as
    | { readonly egress: readonly { readonly to: readonly object[] }[] }
    | undefined;
  assert.deepEqual(spec?.egress.at(-1)?.to, [
    { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16', '127.0.0.0/8', '203.0.113.7/32', '203.0.113.8/32'] } },
    { ipBlock: { cidr: '::/0', except: ['fe80::/10', '::1/128', '2001:db8::7/128'] } },
  ]);
});

test('helm refuses an address in place of a name, and a store without its Secret or its addresses', async () => {
  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ postgres: { external: { host: '203.0.113.7', secretName: 'db' } } }, /specifications of the schema/],
    [
      { postgres: { external: { host: 'db.example.org', cidrs: ['203.0.113.7/32'] } } },
      /postgres.external.secretName: name the Secret/,
    ],
    [
      { redis: { external: { host: 'cache.example.org', cidrs: ['203.0.113.8/32'] } } },
      /redis.external.secretName: name the Secret/,
    ],
    [
      { postgres: { external: { host: 'db.example.org', secretName: 'db' } } },
      /postgres.external.cidrs: name the addresses of db.example.org/,
    ],
    [{ redis: { external: { host: 'c', secretName: 'c' } } }, /redis.external.cidrs: name the addresses of c/],
    [{ redis: { external: { host: 'c', secretName: 'c', cidrs: ['cache'] } } }, /specifications of the schema/],
  ];
  for (const [values, message] of refusals) {
    const { code, output } = await render(values);
    assert.notEqual(code, 0);
    assert.match(output, message);
  }
});
