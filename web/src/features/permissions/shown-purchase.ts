import { VILLAGE_TOOLS } from '@hamlet/contract/tools';
import { purchaseText, readJson } from '@hamlet/core';
import { visibleText } from '@hamlet/core/visible-text';
import { capital, moneyLabel } from '../../client/labels.ts';
import { dateTime, lengthLabel } from '../../ui/time-labels.ts';

/** A purchase that an agent asks for, in words with its highest price; null for another call or invalid arguments. */
export function purchaseSummary(tool: string, argumentsText: string): string | null {
  if (tool !== 'buy') return null;
  const read = VILLAGE_TOOLS.buy.input.safeParse(readJson(argumentsText));
  if (!read.success) return null;
  const { item, seconds, max_price: most } = read.data;
  const startsAt = item.kind === 'gpu' ? item.starts_at : undefined;
  const start = startsAt === undefined ? '' : ` from ${dateTime(Date.parse(startsAt))}`;
  return visibleText(
    `${capital(purchaseText(item))}${start} for ${lengthLabel(seconds * 1000)}, for at most ${moneyLabel(most)}`,
  );
}
