import { readClaims, databaseNow, readPersonality, recordTurn } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { agentConfig } from '../agents/describe-agent.ts';
import { bearerOf } from '../auth/authenticate.ts';
import { exchangeToken } from '../auth/token-exchange.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { chooseModel } from '../gateway/models/choose-model.ts';
import { paidUntil } from '../money/compute/claim-view.ts';
import { boughtLimits } from '../agents/bought-limits.ts';
import type { Village } from '../village.ts';

export function residentHandlers(village: Village) {
  return {
    exchangeAgentToken: plain(async ({ headers, now }) => {
      const projected = bearerOf(headers);
      return projected === null ? refused('unauthenticated') : exchangeToken(village, projected, now);
    }),
    getAgentConfig: plain(async ({ params }) => {
      const described = await village.reader.describe(params.agent_id);
      if (described === null) return refused('no_such_agent');
      const bought = await boughtLimits(village.db, [params.agent_id], () => performance.now());
      const config = agentConfig(described, bought(params.agent_id), {
        search: village.search,
        outsideAgents: village.outsideAgents,
        chooseModel: (ask) => chooseModel(ask, village.gateway.catalog),
      });
      const [amended] = await readPersonality(village.db, described.record.uid, 1);
      return accepted({ ...config, persona: { ...config.persona, amended: amended?.text ?? '' } });
    }),
    getPaidTime: plain(async ({ params, actor }) => {
      const record = village.source.get(params.agent_id);
      if (record === null) return refused('no_such_agent');
      const [claim = null] = await readClaims(village.db, [params.agent_id]);
      const now = await databaseNow(village.db);
      const until = paidUntil(claim, { uid: actor.uid, tier: record.status.tier ?? null, now });
      return accepted({ paid_until: until?.toISOString() ?? null, now: now.toISOString() });
    }),
    openWakes: {
      kind: 'stream',
      open: async ({ params, query, actor }, sink) => {
        if (village.source.get(params.agent_id) === null) return refused('no_such_agent');
        return village.hub.open(actor, query.after, sink);
      },
    },
    recordTurn: inTx(async (request, tx) => {
      const { params, body, actor, traceparent } = request;
      if (village.source.get(params.agent_id) === null) return refused('no_such_agent');
      if (body.cycle < actor.cycle) return refused('stale_cycle');
      const { turn_id, cycle, trigger, decided } = body;
      await recordTurn(tx, { agentId: actor.agentId, uid: actor.uid }, body);
      const turn = { turn_id, cycle, trigger, uid: actor.uid };
      await recordAct(tx, request, { action: 'turn', object: actor.agentId, detail: { ...turn, why: decided.why } });
      // The log omits the words of a model, because logs leave the village's control.
      const afterCommit = (): void => village.log('info', 'turn', { agent_id: actor.agentId, ...turn, traceparent });
      return { ...accepted({ turn_id }), afterCommit };
    }),
  } satisfies Partial<Handlers>;
}
