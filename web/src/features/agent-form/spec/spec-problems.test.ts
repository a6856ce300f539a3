import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemAt, problemsElsewhere, refusedProblems, specProblems } from './spec-problems.ts';

test('the schema of the custom resource names each wrong part with its fix', () => {
  const problems = specProblems({
    model: { name: 'no name!' },
    skills: [{ name: 'bake' }, { name: 'Bad Name' }],
    entitlement: { policy: 'Pinned' },
  });
  assert.match(problemAt(problems, ['model', 'name']) ?? '', /^Write the name of a model/);
  assert.match(problemAt(problems, ['skills']) ?? '', /^Write the name of a skill/);
  assert.match(problemAt(problems, ['skills', '1', 'name']) ?? '', /^Write the name of a skill/);
  assert.equal(problemAt(problems, ['skills', '0']), undefined);
  assert.match(problemAt(problems, ['entitlement']) ?? '', /^Policy Pinned needs a name/);
  assert.equal(specProblems({ displayName: 'Ada' }).size, 0);
});

test("paths of the API's refusal lead to the same fields, however it writes them", () => {
  for (const path of ['spec.skills[1].name', '/spec/skills/1/name', 'skills.1.name', 'body.spec.skills.1.name'])
    assert.equal(
      problemAt(refusedProblems([{ path, message: 'too long' }]), ['skills', '1', 'name']),
      'Too long',
      path,
    );
  assert.equal(refusedProblems([{ path: 'spec', message: 'immutable' }]).get(''), 'Immutable');
});

test('a problem of a part without a field is shown apart', () => {
  const problems = refusedProblems([
    { path: 'spec.memory.size', message: 'the size cannot change' },
    { path: 'spec.model.name', message: 'wrong' },
    { path: 'spec.modelling', message: 'unknown' },
  ]);
  assert.deepEqual(problemsElsewhere(problems, [['model']]), [
    ['memory.size', 'The size cannot change'],
    ['modelling', 'Unknown'],
  ]);
});

test('the schema names a port that is not a number, and a path that is not one', () => {
  const allow = [{ host: 'example.org', ports: ['https'], paths: ['repos'] }];
  const problems = specProblems({ egress: { allow } });
  assert.equal(problemAt(problems, ['egress', 'allow', '0', 'ports']), 'Write a number');
  assert.match(problemAt(problems, ['egress', 'allow', '0', 'paths']) ?? '', /^Write a path such as/);
});
