#!/bin/bash
set -e
cd /app
cat > toc.mjs <<'END'
import { readFileSync, writeFileSync } from 'node:fs';

const textOf = (heading) => heading.replace(/\s+#+\s*$/, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '').trim();
const slugOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');

function tableOf(document) {
  const seen = new Map();
  const items = [];
  let fence = null;
  for (const line of document.split('\n')) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1] ?? null;
    if (mark !== null) fence = fence === null ? mark : fence === mark ? null : fence;
    const found = fence === null ? /^(#{1,6})\s+(.+)$/.exec(line) : null;
    if (found === null) continue;
    const text = textOf(found[2]);
    const slug = slugOf(text);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    const level = found[1].length;
    if (level < 2 || level > 4) continue;
    items.push(`${'  '.repeat(level - 2)}- [${text}](#${before === 0 ? slug : `${slug}-${before}`})`);
  }
  return items.join('\n');
}

const isWriting = process.argv[2] === '--write';
const file = process.argv[isWriting ? 3 : 2];
const document = readFileSync(file, 'utf8');
const place = /(<!-- toc -->\n)[^]*?(<!-- \/toc -->)/;
if (!isWriting) console.log(tableOf(document));
else if (!place.test(document)) {
  console.error(`${file} has no lines <!-- toc --> and <!-- /toc -->`);
  process.exitCode = 1;
} else writeFileSync(file, document.replace(place, (_, start, end) => `${start}${tableOf(document)}\n${end}`));
END
