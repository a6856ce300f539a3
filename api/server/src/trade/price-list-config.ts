import { PriceList } from '@hamlet/contract';
import { z } from 'zod';

function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: `write JSON: ${error instanceof Error ? error.message : String(error)}`,
    });
    return z.NEVER;
  }
}

/** The variables that say what compute costs. What the list leaves out costs what it costs by default. */
export const TRADE_VARIABLES = {
  HAMLET_PRICE_LIST: z
    .string()
    .default('{}')
    .transform(parsed)
    .pipe(PriceList)
    .describe('JSON of what compute costs beyond the tier, as in price_list of GET /economy/quote ({}: the defaults)'),
};
