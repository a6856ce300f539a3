import { z } from 'zod';
import { HOOKS_VERSION } from './hooks.ts';
import { PluginError, type Plugin } from './plugin.ts';

const MAX_MODELS = 1_000;
/** Digits after the point that a price may have. */
const DIGITS = 9;
const SCALE = 10n ** BigInt(DIGITS);

/** A decimal such as `0.25`, per million tokens. A text, because a binary fraction would not be exact. */
const price = z.string().regex(/^\d{1,9}(\.\d{1,9})?$/);

const CostTrackingConfig = z.strictObject({
  prices: z
    .record(z.string().min(1).max(200), z.strictObject({ input: price, output: price }))
    .refine((prices) => Object.keys(prices).length <= MAX_MODELS, `at most ${MAX_MODELS} models`),
});

/**
 * The plugin `cost_tracking`: the cost of requests by a table of prices per million tokens, in millionths of the currency of the table.
 * A price of 1 is a millionth for each token. The cost is computed exactly and rounded once, half up; a model that is not in the
 * table has no cost. Throws a `PluginError` for a table that is not of this form.
 */
export function costTracking(id: string, config: unknown): Plugin {
  const read = CostTrackingConfig.safeParse(config);
  if (!read.success)
    throw new PluginError(
      'plugin_config',
      `The prices of the plugin ${id} cannot be read: ${z.prettifyError(read.error)}`,
    );
  const prices = new Map(
    Object.entries(read.data.prices).map(([model, { input, output }]) => [
      model,
      { input: scaled(input), output: scaled(output) },
    ]),
  );
  return {
    id,
    hooksVersion: HOOKS_VERSION,
    hooks: {},
    costOf: (model, { prompt, completion }) => {
      const known = prices.get(model);
      if (known === undefined) return null;
      const exact = BigInt(prompt) * known.input + BigInt(completion) * known.output;
      const micros = Number((exact + SCALE / 2n) / SCALE);
      return Number.isSafeInteger(micros) ? micros : null;
    },
  };
}

/** The price times `SCALE`. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(DIGITS, '0'));
}
