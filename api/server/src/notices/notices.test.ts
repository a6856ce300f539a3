/** The words of emails, and when one is due. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AwayGroup, Need } from '@hamlet/contract';
import { decideNotice, retryInS, untilMorning } from './decide-notice.ts';
import { codeLetter, digestLetter } from './letters.ts';
import { mailSettingsOf, MAIL_ENVIRONMENT } from './mail-settings.ts';
import { z } from 'zod';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const need = (id: string, words: Partial<Need> = {}): Need => ({
  kind: 'blocked',
  id,
  agent_id: id,
  since: '2026-11-30T11:00:00.000Z',
  line: 'cannot run',
  link: `/?agent=${id}&tab=now`,
  remedy: null,
  ...words,
});
const group = (count: number, line: string): AwayGroup => ({
  kind: 'results',
  count,
  more: false,
  newest: { agent_id: 'ada', at: '2026-11-30T11:00:00.000Z', line, link: '/?view=runs' },
});
const look = { wants: 'needs', noted: [], needs: [], groups: [], nowMs: NOW, timeZone: 'UTC' } as const;
const sender = { origin: 'https://village.example', nameOf: (id: string) => `Agent ${id}` };
const digest = { to: 'a@example.org', needs: [], groups: [], fresh: 0, leaveToken: 'T' } as const;

test('a notice at once needs something that no notice has named, and rests a quarter of an hour after one', () => {
  const first = decideNotice({ ...look, needs: [need('a'), need('b')] });
  assert.deepEqual(first, { sent: true, fresh: 2, noted: ['blocked/a', 'blocked/b'], dueInS: 900 });
  const same = decideNotice({ ...look, needs: [need('a'), need('b')], noted: first.noted });
  assert.deepEqual([same.sent, same.dueInS], [false, 60]);
  const ended = decideNotice({ ...look, needs: [need('b')], noted: first.noted });
  assert.deepEqual([ended.sent, ended.noted], [false, ['blocked/b']]);
  assert.equal(decideNotice({ ...look, needs: [need('a'), need('b')], noted: ended.noted }).fresh, 1, 'it came back');
  assert.equal(decideNotice({ ...look, groups: [group(1, 'x')] }).sent, false, 'news alone');
  const many = Array.from({ length: 150 }, (_, n) => need(`a${n}`));
  const named = decideNotice({ ...look, needs: many });
  assert.deepEqual([named.sent, named.noted.length], [true, 100]);
  const still = decideNotice({ ...look, needs: many, noted: named.noted });
  assert.deepEqual([still.sent, still.fresh], [false, 0], 'more needs than are noted are not new each time');
  const other = need('', { kind: 'permission', id: 'p' });
  assert.equal(
    decideNotice({ ...look, needs: [...many, other], noted: named.noted }).fresh,
    1,
    'they hide no other kind',
  );
});

test('a digest comes at seven in the time zone of the village, also over a change of the clocks, and not without a line', () => {
  const morning = { ...look, wants: 'morning' } as const;
  assert.deepEqual(decideNotice(morning), { sent: false, fresh: 0, noted: [], dueInS: 19 * 3_600 });
  assert.equal(decideNotice({ ...morning, groups: [group(1, 'x')] }).sent, true);
  assert.equal(decideNotice({ ...morning, needs: [need('a')], noted: ['blocked/a'] }).sent, true);
  assert.equal(untilMorning(NOW, 'Asia/Kolkata'), 13.5 * 3_600);
  const early = decideNotice({ ...morning, nowMs: Date.parse('2026-11-30T06:59:58Z') });
  assert.equal(early.dueInS, 86_402, 'the clock of another replica may be behind');
  const eve = Date.parse('2026-03-28T06:00:00Z');
  assert.equal(untilMorning(eve, 'Europe/Berlin'), 23 * 3_600);
  assert.deepEqual([0, 1, 3, 50].map(retryInS), [60, 120, 480, 3_600]);
});

test('an email has the lines and links of the pages, bounded, and no character of a text reaches its headers', () => {
  const hostile = 'says\r\nBcc: evil@example.org\u202E \u2028x';
  const needs = [need('a'), need('b', { agent_id: null, line: hostile }), need('c', { line: 'l'.repeat(5_000) })];
  const letter = digestLetter({ ...digest, needs, fresh: 1, groups: [group(3, 'finished “A”')] }, sender);
  assert.equal(letter.subject, 'Hamlet: 1 thing needs you');
  assert.match(
    letter.text,
    /^Needs you\n- Agent a cannot run\n {2}https:\/\/village\.example\/\?agent=a&tab=now\n- Says Bcc: evil@example\.org⟨U\+202E⟩ x\n/,
  );
  assert.match(
    letter.text,
    /- Agent ada finished a task \(and 2 more\)\n {2}https:\/\/village\.example\/\?view=runs\n/,
  );
  assert.doesNotMatch(letter.text, /“A”/, 'the line on the page quotes the task');
  const joined = { ...group(1, 'Zoe joined'), kind: 'members' } as const;
  const ofPerson = { ...joined, newest: { ...joined.newest, agent_id: null } };
  assert.match(digestLetter({ ...digest, groups: [ofPerson] }, sender).text, /\n- A person joined the village\n/);
  assert.doesNotMatch(letter.text, /[\r\u202E\u2028]/);
  assert.ok(letter.text.split('\n').every((line) => line.length <= 210));
  assert.equal(letter.leaveUrl, 'https://village.example/api/v1/notices/leave?token=T');
  const many = Array.from({ length: 300 }, (_, n) => need(`a${n}`));
  assert.match(digestLetter({ ...digest, needs: many }, sender).text, /- and 280 more\n/);
  assert.equal(digestLetter({ ...digest, needs: many }, sender).subject, 'Hamlet: 300 things need you');
  assert.equal(digestLetter({ ...digest, groups: [group(1, 'x')] }, sender).subject, 'Hamlet: one kind of news');
  assert.equal(codeLetter('a@example.org', 'CODE', sender.origin).leaveUrl, null);
});

test('settings are complete or refused with the variable that is missing', () => {
  const read = (env: Readonly<Record<string, string>>) =>
    mailSettingsOf({ ...z.object(MAIL_ENVIRONMENT).parse(env), HAMLET_PUBLIC_URL: new URL('https://village.example') });
  assert.equal(read({}), undefined);
  const server = { HAMLET_MAIL_HOST: 'smtp.example.org' };
  assert.throws(() => read(server), /HAMLET_MAIL_FROM/);
  const named = { ...server, HAMLET_MAIL_FROM: 'village@example.org' };
  assert.throws(() => read({ ...named, HAMLET_MAIL_USER: 'u' }), /HAMLET_MAIL_PASSWORD_FILE/);
  assert.throws(() => mailSettingsOf(z.object(MAIL_ENVIRONMENT).parse(named)), /HAMLET_PUBLIC_URL/);
  assert.deepEqual([read(named)?.tls, read(named)?.port, read(named)?.login], ['starttls', 587, null]);
  assert.throws(() => read({ ...named, HAMLET_MAIL_FROM: 'x@example.org, y@example.org' }), /email/i);
});
