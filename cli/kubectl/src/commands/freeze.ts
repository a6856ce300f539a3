import type { Client, VillageFreeze } from '@hamlet/contract';
import { dataOf, freezeVillage, getVillageFreeze, liftVillageFreeze } from '@hamlet/contract';
import { Failure, type Invocation } from '../command.ts';
import { apiCommand } from '../village-api.ts';

const USAGE = '--reason=TEXT | --lift [--reason=TEXT] | status';

const at = (time: string | null): string => time ?? 'never';

export function freezeLines(freeze: VillageFreeze): readonly string[] {
  const first = freeze.frozen
    ? `frozen since ${at(freeze.since)} by ${freeze.by?.id ?? 'an unknown actor'}: ${freeze.reason ?? ''}`
    : 'not frozen';
  return [
    first,
    `last transfer       ${at(freeze.last_transfer_at)}`,
    `last model request  ${at(freeze.last_model_request_at)}`,
    `last run started    ${at(freeze.last_run_started_at)}`,
  ];
}

type Act =
  | { readonly kind: 'status' }
  | { readonly kind: 'lift'; readonly reason?: string }
  | { readonly kind: 'freeze'; readonly reason: string };

export function freezeAct({ names, flags: { lift, reason } }: Pick<Invocation, 'names' | 'flags'>): Act {
  if (names.length > 0 && (names[0] !== 'status' || lift === true || reason !== undefined))
    throw new Failure(`usage: kubectl hamlet freeze ${USAGE}`, 2);
  if (names.length > 0) return { kind: 'status' };
  if (lift === true) return typeof reason === 'string' ? { kind: 'lift', reason } : { kind: 'lift' };
  if (typeof reason !== 'string' || reason.trim() === '')
    throw new Failure(
      'freeze needs a reason: kubectl hamlet freeze --reason="…"; "kubectl hamlet freeze status" changes nothing',
      2,
    );
  return { kind: 'freeze', reason };
}

function send(api: Client, act: Act): Promise<VillageFreeze> {
  if (act.kind === 'status') return dataOf(api.call(getVillageFreeze, {}));
  const { reason } = act;
  return act.kind === 'lift'
    ? dataOf(api.call(liftVillageFreeze, { query: reason === undefined ? {} : { reason } }))
    : dataOf(api.call(freezeVillage, { body: { reason: act.reason } }));
}

export const freeze = apiCommand({
  name: 'freeze',
  usage: USAGE,
  summary: 'freezes all money, models and runs of the village, or lifts the freeze',
  details: 'Needs the token of an admin. "status" exits 1 if the village is frozen.',
  options: { reason: { type: 'string' }, lift: { type: 'boolean' } },
  names: [0, 1],
  act: freezeAct,
  read: send,
  text: freezeLines,
  exit: ({ frozen }, { kind }) => (frozen && kind === 'status' ? 1 : 0),
});
