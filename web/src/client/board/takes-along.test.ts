import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../app-state.ts';
import { takesAlong } from './board-live.ts';

const account = (id: string): Session => ({ kind: 'account', account: { account_id: id, name: id, role: 'member' } });

test('unsent replies stay for their writer alone', () => {
  const cases: readonly (readonly [string, string | null, Session, boolean])[] = [
    ['the session ended', 'mo', { kind: 'visitor', ended: true }, false],
    ['its holder signs in again', 'mo', account('mo'), false],
    ['another person signs in', 'mo', account('kim'), true],
    ['its holder signs out', 'mo', { kind: 'visitor', ended: false }, true],
    ['a visitor signs in', null, account('mo'), false],
    ['the viewer is not known yet', 'mo', { kind: 'unknown', asked: true }, false],
  ];
  for (const [what, writer, session, gone] of cases) assert.equal(takesAlong(writer, session), gone, what);
});
