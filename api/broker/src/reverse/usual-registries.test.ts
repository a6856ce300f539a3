import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REGISTRIES, VillageEgress, type Registry } from '@hamlet/contract';
import { egressPolicyOf, judgeWire } from '@hamlet/core/egress';
import { upstreamOfIndex } from './registries.ts';
import { readReverse } from './reverse-target.ts';

const policyOf = (registries: object) =>
  egressPolicyOf(
    { village: VillageEgress.parse({ registries }), tier: undefined, agent: undefined },
    () => new Uint8Array(32),
  );

/** The requests that programs send for one package, as the endpoints get them. */
const ASKED: Readonly<Record<Registry, readonly string[]>> = {
  pip: ['/pip/pytest/', '/pip/at/https/files.pythonhosted.org/packages/a/b/pytest-8.whl'],
  npm: ['/npm/@types%2fnode', '/npm/at/https/registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz'],
  apt: ['/apt/debian/dists/trixie/InRelease', '/apt/debian/pool/main/j/jq/jq_1.7%2bx_amd64.deb'],
  crates: [
    '/crates/config.json',
    '/crates/se/rd/serde',
    '/crates/at/https/static.crates.io/crates/serde/1.0.0/download',
  ],
  go: ['/go/golang.org/x/!text/@v/list', '/go/sumdb/sum.golang.org/lookup/golang.org/x/text@v0.3.0'],
};

function verdictOf(policy: ReturnType<typeof policyOf>, path: string): string {
  const target = readReverse(path);
  if (target === null || target.kind === 'git') return 'no endpoint';
  const found = target.kind === 'link' ? target.upstream : upstreamOfIndex(policy, target.registry, target.rest);
  if ('verdict' in found) return found.code;
  const judged = judgeWire(policy, found.destination, {
    method: 'GET',
    target: found.target,
    headers: {},
    hasBody: false,
    isOfGit: false,
  });
  return judged.verdict === 'deny' ? judged.code : 'allowed';
}

test('each switch of the village opens only its own registry and the files of its index', () => {
  for (const name of REGISTRIES) {
    const policy = policyOf({ [name]: true });
    for (const path of ASKED[name]) assert.equal(verdictOf(policy, path), 'allowed', path);
    for (const other of REGISTRIES.filter((each) => each !== name))
      assert.equal(verdictOf(policy, ASKED[other][0] ?? ''), 'egress_registry_off', `${name} and ${other}`);
  }
});

test('without switches every endpoint of a registry is refused', () => {
  for (const path of Object.values(ASKED).flat())
    assert.match(verdictOf(policyOf({}), path), /^egress_(registry_off|not_allowed)$/, path);
});
