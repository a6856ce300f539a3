import { type CallInput, type ModelPriceView, putModelPrices } from '@hamlet/contract';

/** The prices of one model, per million tokens, as an admin writes them. */
export type PriceRow = Readonly<{ model: string; prompt: string; cached: string; completion: string }>;
export type PriceDraft = Readonly<{ currency: string; rows: readonly PriceRow[] }>;
type PriceBody = Omit<CallInput<typeof putModelPrices>['body'], 'agent_id'>;

export function priceDraftOf(models: readonly string[], stored: readonly ModelPriceView[]): PriceDraft {
  const known = stored.map(({ model, prompt, cached_prompt: cached, completion }) => ({
    model,
    prompt,
    cached: cached ?? '',
    completion,
  }));
  const others = [...new Set(models)]
    .filter((model) => !known.some((row) => row.model === model))
    .map((model) => ({ model, prompt: '', cached: '', completion: '' }));
  return { currency: stored[0]?.currency ?? 'USD', rows: [...known, ...others] };
}

/** Reads the form with the contract's rules. An empty row is left out: the provider then has no price for that model. */
export function readPrices({
  currency,
  rows,
}: PriceDraft): { readonly ok: true; readonly body: PriceBody } | { readonly ok: false; readonly problem: string } {
  const filled = rows.filter(({ prompt, cached, completion }) => `${prompt}${cached}${completion}`.trim() !== '');
  const half = filled.find(({ prompt, completion }) => prompt.trim() === '' || completion.trim() === '');
  if (half !== undefined) return { ok: false, problem: `Write both prices of ${half.model}, or none` };
  const parsed = putModelPrices.body.safeParse({
    currency: currency.trim(),
    prices: filled.map(({ model, prompt, cached, completion }) => ({
      model,
      prompt: decimal(prompt),
      ...(cached.trim() === '' ? {} : { cached_prompt: decimal(cached) }),
      completion: decimal(completion),
    })),
  });
  if (parsed.success) return { ok: true, body: { currency: parsed.data.currency, prices: parsed.data.prices } };
  const [issue] = parsed.error.issues;
  const row = issue?.path[0] === 'prices' ? filled[Number(issue.path[1])] : undefined;
  return { ok: false, problem: `${row === undefined ? 'Currency' : row.model}: ${issue?.message ?? 'unreadable'}` };
}

const decimal = (typed: string): string => typed.trim().replace(',', '.').replace(/^\./, '0.');
