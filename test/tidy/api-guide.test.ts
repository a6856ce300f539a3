/**
 * Checks the examples of docs/API.md: calls match routes and schemas, the program compiles, bodies and messages parse.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathsOf, Problem, REFUSALS, ROUTES, ViewerMessage, type RouteSpec } from '@hamlet/contract';

const ROOT = resolve(import.meta.dirname, '../..');
const WORDS_MAX = 2_500;
const guide = readFileSync(join(ROOT, 'docs/API.md'), 'utf8');

function blocks(language: string): readonly string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
}

function matches(route: RouteSpec, method: string, path: string): boolean {
  const patterns = pathsOf(route).map((each) => new RegExp(`^${each.replaceAll(/\{\w+\*?\}/g, '[^/]+')}$`));
  return route.method === method && patterns.some((pattern) => pattern.test(path));
}

test('every call with curl names a route, has the required headers, and its body is valid', () => {
  const calls = blocks('sh')
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith('curl '));
  assert.ok(calls.length > 3);
  for (const call of calls) {
    const [, method = 'GET'] = /-X (\w+)/.exec(call) ?? [];
    const [, path = ''] = /http:\/\/localhost:8080([^\s?]*)/.exec(call) ?? [];
    const [, body] = /-d '([^']*)'/.exec(call) ?? [];
    const route: RouteSpec | undefined = ROUTES.find((each: RouteSpec) => matches(each, method, path));
    assert.ok(route, call);
    assert.equal(call.includes('Idempotency-Key: '), route.idempotency === 'key', call);
    assert.equal(body !== undefined, route.body !== undefined, call);
    if (body !== undefined) route.body?.parse(JSON.parse(body));
  }
});

test('the program of the guide equals the compiled file', () => {
  assert.deepEqual(blocks('ts'), [readFileSync(join(import.meta.dirname, 'examples/api-client.ts'), 'utf8')]);
});

test('the JSON of the guide is a valid problem and a valid message of a viewer', () => {
  const [problem = '', view = '', ...others] = blocks('json');
  const { code, title, status } = Problem.parse(JSON.parse(problem));
  assert.deepEqual({ title, status }, { title: REFUSALS[code].title, status: REFUSALS[code].status });
  ViewerMessage.parse(JSON.parse(view));
  assert.deepEqual(others, []);
});

test(`the guide has at most ${WORDS_MAX} words`, () => {
  assert.ok(guide.split(/\s+/).length <= WORDS_MAX);
});
