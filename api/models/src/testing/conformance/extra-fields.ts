import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTRA_FIELDS } from '../../chat/extra-fields.ts';
import { assertFailed, assertOk, EXTRA, NEUTRAL_EXTRA, PLAIN_REQUEST, TEXT, type Bench } from './bench.ts';

export function extraFields(bench: Bench): void {
  const { wire, extra } = bench.subject;

  for (const field of EXTRA_FIELDS)
    test(`the extra field ${field} arrives, or is refused by name`, async () => {
      const request = { ...PLAIN_REQUEST, extra: { [field]: EXTRA[field] } };
      const expected = extra[field];
      if (expected !== undefined) {
        assertOk(await bench.chat(request, wire.plain(TEXT)));
        assert.partialDeepStrictEqual(bench.server.requests.at(-1)?.body, expected);
        return;
      }
      const { error } = assertFailed(await bench.model().chat(request));
      assert.deepEqual([error.code, error.field], ['bad_request', field]);
      bench.server.verify();
    });

  test('extra fields that ask for nothing are never refused', async () => {
    assertOk(await bench.chat({ ...PLAIN_REQUEST, extra: NEUTRAL_EXTRA }, wire.plain(TEXT)));
  });
}
