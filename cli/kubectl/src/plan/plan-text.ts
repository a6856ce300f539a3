import type { PlanReport, Quote } from './quote.ts';

const SIGNS: Readonly<Record<Quote['action'], string>> = { create: '+', change: '~', unchanged: '=', refused: '✗' };
const WORDS: Readonly<Record<Quote['action'], string>> = {
  create: 'would be created',
  change: 'would be changed',
  unchanged: 'is as the file says',
  refused: 'would be refused',
};

function costLine({ kind, tier, cost_per_day: cost, price_per_thousand_tokens: tokens }: Quote): readonly string[] {
  if (cost === undefined) return [];
  const metered = tokens === undefined || tokens === '0' ? '' : `, and ${tokens} for each thousand tokens`;
  return [
    kind === 'Agent'
      ? `${cost} aiDollars a day awake (${tier ?? ''})${metered}`
      : `an agent at this tier pays ${cost} aiDollars a day${metered}`,
  ];
}

function seatLine({ seats }: Quote): readonly string[] {
  if (seats === undefined) return [];
  const { tier, total, free_before: before, free_after: after } = seats;
  return [
    before === after
      ? `seats of ${tier}: ${before} of ${total} free`
      : `seats of ${tier}: ${before} of ${total} free now, ${after} after it`,
  ];
}

function firingLines({ tells, firings_per_day: perDay, next_firings: next }: Quote): readonly string[] {
  if (perDay === undefined) return [];
  const whom =
    tells === undefined || tells.length === 0
      ? []
      : [`tells ${tells.slice(0, 5).join(', ')}${tells.length > 5 ? ` and ${tells.length - 5} more` : ''}`];
  return [
    ...whom,
    `fires ${perDay} times in the next 24 hours${next === undefined || next.length === 0 ? '' : `, next at ${next.join(', ')}`}`,
  ];
}

function objectText(quote: Quote): string {
  const { kind, name, action, makes, problems } = quote;
  const lines = [
    ...makes.map((made) => `makes ${made}`),
    ...costLine(quote),
    ...seatLine(quote),
    ...firingLines(quote),
    ...problems.map((problem) => `! ${problem}`),
  ];
  return [`${SIGNS[action]} ${kind} ${name} ${WORDS[action]}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** The plan in words. */
export function planText({ objects, cost_per_day: cost, refused }: PlanReport): string {
  const count = (action: Quote['action']): number => objects.filter((object) => object.action === action).length;
  const sum = `${count('create')} to create, ${count('change')} to change, ${count('unchanged')} unchanged, ${refused} refused; the agents cost ${cost} aiDollars a day while awake. Nothing was changed.`;
  return [...objects.map(objectText), '', sum].join('\n');
}
