import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Actor } from '../http/actor.ts';
import { memoryKey } from './memory-key.ts';
import { repositoryAccess, RepositoryMembers } from './repository-access.ts';

const person = (role: 'member' | 'admin', name: string): Actor => ({
  role,
  id: `account ${name}`,
  accountId: name,
  name,
});
const AGENT_REPOSITORY = { url: 'https://git.example.org/agents/bakery.git' };

const mayUse = repositoryAccess(
  [
    { repository: 'git.example.org/team/*', members: ['Mia'] },
    { repository: 'git.example.org/open/app', members: ['*'] },
  ],
  () =>
    [{ spec: {} }, { spec: { repository: AGENT_REPOSITORY } }] as unknown as ReturnType<
      Parameters<typeof repositoryAccess>[1]
    >,
);

test('a member uses repositories of the list and of agents; an admin uses all', () => {
  const uses = (actor: Actor, ...urls: readonly string[]): readonly boolean[] =>
    urls.map((url) => mayUse(actor)(memoryKey(url)));
  const urls = [
    'https://git.example.org/team/app.git',
    'git@git.example.org:team/app',
    'https://git.example.org/open/app',
    'ssh://git@git.example.org/agents/bakery',
    'https://git.example.org/other/app',
    'https://git.example.org/teams/app',
    'https://git.example.org/open/app/more',
  ];
  assert.deepEqual(uses(person('member', 'mia'), ...urls), [true, true, true, true, false, false, false]);
  assert.deepEqual(uses(person('member', 'Noa'), ...urls), [false, false, true, true, false, false, false]);
  assert.ok(uses(person('admin', 'Ann'), ...urls).every(Boolean));
});

test('dot segments cannot escape a pattern, and neither visitors nor agents use the list', () => {
  const mia = person('member', 'Mia');
  for (const url of [
    'git@git.example.org:team/../other/app',
    'https://git.example.org/team/../other/app',
    'https://git.example.org/team/%2e%2e/other',
    `https://git.example.org/team/${'a'.repeat(1_100)}`,
  ])
    assert.equal(mayUse(mia)(memoryKey(url)), false, url);
  assert.equal(mayUse({ role: 'visitor' })('git.example.org/open/app'), false);
});

test('the list accepts hosts with paths, and the error names the fault of any other text', () => {
  for (const repository of ['git.example.org/*', 'git.example.org:8443/a/b'])
    assert.ok(RepositoryMembers.safeParse([{ repository, members: ['*'] }]).success, repository);
  for (const repository of ['https://git.example.org/a', '*', 'git.example.org/a*', 'git.example.org/*/b'])
    assert.match(
      RepositoryMembers.safeParse([{ repository, members: ['*'] }]).error?.message ?? '',
      /write host and path/,
      repository,
    );
});
