import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notAllowed } from './not-allowed.ts';

test('each button says why it cannot be pressed', () => {
  const admin = { role: 'admin', pending: false } as const;
  assert.equal(notAllowed('suspend', { ...admin, power: 'Awake' }), null);
  assert.equal(notAllowed('reboot', { ...admin, power: 'Awake' }), null);
  assert.equal(notAllowed('awaken', { ...admin, power: 'Asleep' }), null);
  assert.equal(notAllowed('awaken', { ...admin, power: 'Awake' }), 'It is awake already');
  assert.equal(notAllowed('suspend', { ...admin, power: 'Asleep' }), 'It is asleep already');
  assert.equal(notAllowed('reboot', { ...admin, power: 'Asleep' }), 'It is asleep: awaken it instead');
  assert.equal(notAllowed('reboot', { ...admin, power: 'Awake', pending: true }), 'A change is on its way');
  assert.equal(notAllowed('reboot', { role: 'member', pending: false, power: 'Awake' }), 'Only admins may do this');
  assert.equal(
    notAllowed('reboot', { role: 'visitor', pending: false, power: 'Awake' }),
    'Sign in as an admin to do this',
  );
});
