import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryId, repositoryName } from './index.ts';

test('all addresses of one repository have one id', () => {
  for (const url of [
    'https://git.example.org/team/project.git',
    'https://git.example.org/team/project',
    'https://user@GIT.example.org/team/project/',
    'https://git.example.org//team/project.git',
    'git@git.example.org:team/project.git',
    'ssh://git@git.example.org/team/project.git',
  ])
    assert.equal(repositoryId(url), 'git.example.org/team/project', url);
  assert.notEqual(repositoryId('https://git.example.org/a/x'), repositoryId('https://git.example.org/b/x'));
  assert.notEqual(repositoryId('https://git.example.org:8443/a/x'), repositoryId('https://git.example.org/a/x'));
});

test('a folder is named after the last part of the path, and cannot lead elsewhere', () => {
  assert.equal(repositoryName('https://git.example.org/team/project.git'), 'project');
  assert.equal(repositoryName('git@github.com:o/r.git'), 'r');
  assert.equal(repositoryName('git@host:..'), 'repository');
  assert.equal(repositoryName('git@host:a/-rf'), 'rf');
  assert.equal(repositoryName('git@host:a/.hidden $(x)'), 'hidden---x-');
  assert.ok(repositoryName(`https://h.org/${'a'.repeat(900)}`).length <= 100);
});
