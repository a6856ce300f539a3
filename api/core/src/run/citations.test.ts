import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citedPages, LINKS_MAX, pageKey, webLinks } from './citations.ts';

const urlsIn = (text: string) => webLinks(text).map(({ url, name }) => (name === null ? url : `${name} ${url}`));

test('links are found in sentences, lists, brackets and named links, without the surrounding punctuation', () => {
  assert.deepEqual(
    urlsIn(
      'See https://a.org/x, (https://b.org/y?z=1#p) and **https://c.org/**. [The paper](https://d.org/a_(b)) <http://e.org> `https://f.org`',
    ),
    [
      'https://a.org/x',
      'https://b.org/y?z=1#p',
      'https://c.org/',
      'The paper https://d.org/a_(b)',
      'http://e.org',
      'https://f.org',
    ],
  );
  assert.deepEqual(urlsIn('https://en.example.org/wiki/Rye_(bread).'), ['https://en.example.org/wiki/Rye_(bread)']);
  assert.deepEqual(urlsIn('no link: ftp://a.org javascript:alert(1) https:// http://[ [x](data:text/html,y)'), []);
});

test('a link has its position in the text', () => {
  const text = 'a [b](https://c.org) d https://e.org.';
  assert.deepEqual(
    webLinks(text).map(({ start, end }) => text.slice(start, end)),
    ['[b](https://c.org)', 'https://e.org'],
  );
});

test('two addresses are the same page if only the fragment or a trailing slash differs', () => {
  const key = pageKey('https://A.org/b/?c=1#d');
  assert.equal(pageKey('https://a.org:443/b?c=1'), key);
  for (const other of ['https://a.org/b?c=2', 'http://a.org/b?c=1', 'https://a.org/B?c=1', 'https://b.a.org/b?c=1'])
    assert.notEqual(pageKey(other), key);
});

test('only opened pages are cited, each once, with their newest record', () => {
  const opened = [
    { url: 'https://a.org/', title: 'new' },
    { url: 'https://a.org', title: 'old' },
    { url: 'https://b.org', title: 'not cited' },
  ];
  assert.deepEqual(citedPages('https://a.org#x https://never.org https://a.org', opened), [opened[0]]);
});

test('a hostile text takes linear time and gives a limited number of links', () => {
  assert.equal(webLinks('https://a.org '.repeat(5_000)).length, LINKS_MAX);
  for (const text of ['https://a('.repeat(20_000), '['.repeat(200_000), `https://${'a'.repeat(200_000)}`])
    assert.ok(webLinks(text).length <= LINKS_MAX);
});
