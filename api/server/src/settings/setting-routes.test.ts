/** Settings of the village over HTTP, on two replicas: a change at one is in force at the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VILLAGE_SETTINGS, type VillageSetting, type VillageSettingKey } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { follow, refuses } from '@hamlet/test/env/client';
import { clientOf, eventually, testVillage, TOKENS } from '../testing/test-village.ts';
import { SETTING_KEYS, settingsInForce } from './village-settings.ts';

const village = await testVillage();
const file = await village.writeSample('egress.json', JSON.stringify({ allow: [{ host: 'open.example.org' }] }));
const environment = {
  HAMLET_TIME_ZONE: 'Europe/Zurich',
  HAMLET_DAILY_ALLOWANCE: '7',
  HAMLET_EGRESS_FILE: file,
};
const [first, second] = [await village.startReplica(environment), await village.startReplica(environment)];
const db = village.openDb();
const admin = clientOf(first.peopleUrl, TOKENS.admin);
const member = clientOf(second.peopleUrl, TOKENS.member);

const set = (key: VillageSettingKey, value: VillageSetting['value']): Promise<VillageSetting> =>
  admin.setVillageSetting({ key, value });

async function shown(key: VillageSettingKey): Promise<VillageSetting | undefined> {
  return (await admin.getVillageSettings()).settings.find((setting) => setting.key === key);
}

test('the list has each setting with the value of the chart, a schema that accepts it, and those that only the chart has', async () => {
  const { settings } = await admin.getVillageSettings();
  const own = settings.filter(({ schema }) => schema !== null);
  assert.deepEqual(own.map(({ key }) => key).toSorted(), [...SETTING_KEYS].toSorted());
  for (const { key, value, default: preset, source } of own) {
    assert.equal(source, 'chart');
    assert.equal(value, preset, key);
    assert.ok(VILLAGE_SETTINGS[key as VillageSettingKey].schema.safeParse(value).success, key);
  }
  assert.deepEqual(
    [(await shown('daily_allowance'))?.value, (await shown('time_zone'))?.value],
    ['7', 'Europe/Zurich'],
  );
  const others = settings.filter(({ schema }) => schema === null);
  assert.ok(others.length > 0);
  for (const { where, value } of others) assert.ok(where !== null && value === null);
});

test("a member's allowance changes at the other replica at once, and returns to the chart with null", async () => {
  assert.equal((await member.getAllowance()).daily, '7');
  const changed = await set('daily_allowance', '3.5');
  assert.deepEqual([changed.value, changed.default, changed.source], ['3.5', '7', 'village']);
  await eventually('the allowance', async () => (await member.getAllowance()).daily === '3.5');
  const back = await set('daily_allowance', null);
  assert.deepEqual([back.value, back.source], ['7', 'chart']);
  await eventually('the old allowance', async () => (await member.getAllowance()).daily === '7');
  const rows = (await readAudit(db, 'daily_allowance', 10)).toReversed();
  assert.deepEqual(
    rows.map(({ action, actorRole, detail }) => [action, actorRole, detail]),
    [
      ['village.setting', 'admin', { before: '7', value: '3.5' }],
      ['village.setting', 'admin', { before: '3.5', value: null }],
    ],
  );
});

test("the time zone moves the end of the village's day at the other replica", async () => {
  const before = (await member.getAllowance()).resets_at;
  // The two zones never have midnight at the same time.
  await set('time_zone', 'Asia/Kolkata');
  await eventually('the new day', async () => (await member.getAllowance()).resets_at !== before);
  const resets = new Date((await member.getAllowance()).resets_at);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', timeStyle: 'medium' });
  assert.equal(clock.format(resets), '00:00:00');
  await set('time_zone', null);
});

test('a visitor at the other replica sees the brand before the sign-in', async () => {
  await set('brand_name', 'Little Hamlet');
  await set('brand_color', '#aa3311');
  await eventually('the brand', async () => {
    const { brand } = await clientOf(second.peopleUrl).getLoginOptions();
    return brand.name === 'Little Hamlet' && brand.color === '#aa3311';
  });
});

test('with egress_open off every agent has the same rules, which open nothing, and the broker learns it', async () => {
  const broker = clientOf(second.peopleUrl, TOKENS.broker);
  const reading = follow((signal) => broker.openBrokerStream({}, { signal }));
  const versions = (): ReadonlyMap<string, string> =>
    new Map(
      reading.events.flatMap(({ event, data }) => (event === 'current' ? [[data.uid, data.version] as const] : [])),
    );
  await eventually('the beginning', () => reading.events.some(({ event }) => event === 'synced'));
  const before = versions();
  await set('egress_open', false);
  await eventually('the closing', () => [...versions()].every(([uid, version]) => before.get(uid) !== version));
  assert.equal(new Set(versions().values()).size, 1);
  await set('egress_open', null);
  await eventually('the opening', () => [...versions()].every(([uid, version]) => before.get(uid) === version));
  reading.stop();
});

test('a value that the setting does not take, a key of no setting and a member are refused', async () => {
  for (const [key, value] of [
    ['time_zone', 'Mars/Olympus'],
    ['time_zone', 5],
    ['daily_allowance', '-1'],
    ['turn_days', -1],
    ['turn_days', 1.5],
    ['session_days', '30'],
    ['egress_days', 36_501],
    ['egress_open', 'no'],
    ['brand_name', ''],
    ['brand_name', 'x'.repeat(41)],
    ['brand_color', 'red; background: url(https://example.org)'],
  ] as const)
    await refuses(set(key, value), 'invalid_setting');
  await refuses(set('toolRules' as VillageSettingKey, 'x'), 'validation_failed');
  await refuses(member.getVillageSettings(), 'forbidden');
  await refuses(member.setVillageSetting({ key: 'turn_days', value: 1 }), 'forbidden');
  assert.equal((await shown('turn_days'))?.source, 'chart');
});

test('a stored value that its schema no longer takes does not count', () => {
  const defaults = settingsInForce({ turn_days: 30, brand_name: 'A' } as never, []);
  assert.equal(settingsInForce(defaults, [{ key: 'turn_days', value: 'many' }]).turn_days, 30);
  assert.equal(settingsInForce(defaults, [{ key: 'turn_days', value: 0 }]).turn_days, 0);
  assert.equal(settingsInForce(defaults, [{ key: 'unknown', value: 1 }]).turn_days, 30);
});
