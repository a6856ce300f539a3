import {
  freezeVillage,
  getVillageFreeze,
  liftVillageFreeze,
  ProblemError,
  type Client,
  type VillageFreeze,
} from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { jsonText } from '../table.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

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

async function send(api: Client, act: Act): Promise<VillageFreeze> {
  const outcome =
    act.kind === 'status'
      ? await api.call(getVillageFreeze, {})
      : act.kind === 'lift'
        ? await api.call(liftVillageFreeze, { query: act.reason === undefined ? {} : { reason: act.reason } })
        : await api.call(freezeVillage, { body: { reason: act.reason } });
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.data;
}

export const freeze: Command = {
  name: 'freeze',
  usage: USAGE,
  summary: 'freezes all money, models and runs of the village, or lifts the freeze',
  details: `Needs the token of an admin. "status" exits 1 if the village is frozen.\n\n${API_DETAILS}`,
  options: { ...API_OPTIONS, reason: { type: 'string' }, lift: { type: 'boolean' } },
  names: [0, 1],
  async run(invocation) {
    const act = freezeAct(invocation);
    const answer = await withApi(invocation, (api) => send(api, act), act.kind === 'status' ? 'member' : 'admin');
    if (invocation.json) invocation.print(jsonText(answer));
    else for (const line of freezeLines(answer)) invocation.print(line);
    return act.kind === 'status' && answer.frozen ? 1 : 0;
  },
};
