import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { lazyPart } from './lazy-part.ts';

test('a part whose code is there shows at once, without the fallback', async () => {
  const Part = lazyPart<{ readonly name: string }>(
    async () =>
      ({ name }) =>
        `Hello ${name}`,
  );
  const shown = (): string =>
    renderToString(createElement(Suspense, { fallback: 'Opening' }, createElement(Part, { name: 'Ada' })));
  assert.match(shown(), /Opening/);
  await Part.fetch();
  assert.doesNotMatch(shown(), /Opening/);
  assert.match(shown(), /Hello Ada/);
});
