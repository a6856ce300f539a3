import type { AgentCard } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { getAgentCard } from '@hamlet/contract';
import type { IncomingHttpHeaders } from 'node:http';
import type { AgentRecord } from '../agents/agent-source.ts';
import { servesA2a } from '../agents/describe-agent.ts';
import { plain, type DataOf, type Handlers } from '../http/handler.ts';
import { ownOrigin } from '../http/origin.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { loadA2a } from './a2a-library.ts';
import { cardOf, OLDER_VERSION, pathOfCard } from './agent-card.ts';
import { answerCall, versionOf } from './answer-call.ts';
import { askVillage, type A2aPorts } from './ask-village.ts';
import { createFollowers } from './follow-task.ts';
import { requestHandler } from './request-handler.ts';

const CARDS_SHOWN_MAX = 20;

type ShownCard = DataOf<typeof getAgentCard>;

/** A card for callers of both versions: 0.3 reads its own fields, 1.0 reads `supportedInterfaces`. */
async function showCard(card: AgentCard, headers: IncomingHttpHeaders): Promise<ShownCard> {
  const { types, server, legacy } = await loadA2a();
  const shown = types.AgentCard.toJSON(card) as ShownCard;
  if (versionOf(headers) !== OLDER_VERSION) return shown;
  // The library translates only extended cards.
  const handler = { getAuthenticatedExtendedAgentCard: async () => card } as unknown as A2ARequestHandler;
  const translated = new legacy.LegacyRestTransportHandler(handler);
  const older = await translated.getAuthenticatedExtendedAgentCard(new server.ServerCallContext());
  return { ...older, supportedInterfaces: shown['supportedInterfaces'] };
}

function noAgent(agentId: string): Refused {
  return refused('no_such_agent', `No agent ${agentId} can be called over A2A: an admin writes spec.a2a.enabled: true`);
}

/** Why the village has no card of its own: no agent can be called, or several. */
function noVillageCard(records: readonly AgentRecord[]): Refused {
  const cards = records.slice(0, CARDS_SHOWN_MAX).map(({ agentId }) => pathOfCard(agentId));
  return refused(
    'no_such_agent',
    cards.length === 0
      ? 'No agent of the village can be called over A2A: an admin writes spec.a2a.enabled: true'
      : `Several agents can be called over A2A: read the card of one, ${cards.join(', ')}`,
  );
}

/** Agents as A2A servers. @param ports.handlers the routes by which calls change something */
export function a2aHandlers(village: Village, ports: A2aPorts) {
  const { source, db, config, watch, deltas, log, egressOf } = village;
  const serving = { watch, deltas, log, followers: createFollowers() };
  const originOf = (headers: IncomingHttpHeaders): string =>
    config.oidc === undefined ? ownOrigin(headers) : new URL(config.oidc.publicUrl).origin;

  function served(agentId: string): AgentRecord | null {
    const record = source.get(agentId);
    return record !== null && servesA2a(record) ? record : null;
  }

  return {
    getAgentCard: plain(async ({ params: { agent_id: agentId }, headers }) => {
      const record = served(agentId);
      if (record === null) return noAgent(agentId);
      return accepted(await showCard(cardOf(record, originOf(headers)), headers));
    }),
    getVillageCard: plain(async ({ headers }) => {
      const all = source.list().filter(servesA2a);
      const [only, ...others] = all;
      if (only === undefined || others.length > 0) return noVillageCard(all);
      return accepted(await showCard(cardOf(only, originOf(headers)), headers));
    }),
    callA2a: {
      kind: 'completion',
      run: async (request, channel) => {
        const { params, headers, actor, requestId, traceparent } = request;
        const { agent_id: agentId } = params;
        const record = served(agentId);
        if (record === null) return noAgent(agentId);
        const library = await loadA2a();
        const caller = { actor, requestId, traceparent };
        const version = versionOf(headers);
        const ask = askVillage(ports, request);
        const call = { db, agentId, record, caller, version, egressOf, origin: originOf(headers), ask };
        const { errors } = library;
        const handler = requestHandler({ call, errors, ports: serving, gone: channel.gone });
        return answerCall(library, request, { handler, channel });
      },
    },
  } satisfies Partial<Handlers>;
}
