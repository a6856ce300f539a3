import { ping } from '@hamlet/store';
import type { Authenticate } from './http/actor.ts';
import { placeOfferWith } from './money/offers/run-offers.ts';
import { repositoryAccess, repositoryRefusals } from './memory/repository-access.ts';
import { policyOfRun, type PolicyColumns } from './permissions/agent-policy.ts';
import { createReadCommand } from './permissions/shell/read-command.ts';
import { createReadiness } from './service/readiness.ts';
import type { BalanceTiers } from './standing/balance-tier-sync.ts';
import type { Base } from './start/base.ts';
import type { Parts } from './start/parts.ts';

/** The checks behind /readyz. Postgres and Redis may be down: the map stays readable without them. */
function readinessOf({ shared: { source, db, link } }: Base): ReturnType<typeof createReadiness> {
  return createReadiness([
    { name: 'world', required: true, check: () => true },
    { name: 'agents', required: true, check: () => source.ready },
    { name: 'postgres', required: false, check: () => ping(db).then(() => true) },
    { name: 'redis', required: false, check: () => link.ping().then(() => true) },
  ]);
}

/** The parts of a running replica that handlers use. */
export function villageOf(base: Base, parts: Parts, authenticate: Authenticate) {
  const { facts, world, money, gateway, people, policyOf, watch, deltas, runStreams, sessions, egress, figures } =
    parts;
  const { board } = parts.board;
  const mayUseRepository = repositoryAccess(base.shared.config.repositories, () => base.shared.source.list());
  return {
    ...base.shared,
    ...base.agents,
    bots: base.bots,
    ...money.services,
    limits: base.counted.limits,
    limitReached: base.counted.limitReached,
    gateway,
    board,
    hub: facts.hub,
    feed: facts.feed,
    tiers: facts.tiers as BalanceTiers,
    readiness: readinessOf(base),
    reader: world.reader,
    mapAnswer: world.mapAnswer,
    people: people.people,
    authenticate,
    standing: facts.standing,
    policyOf,
    classesOf: parts.classesOf,
    mayUseRepository,
    ...repositoryRefusals(mayUseRepository),
    policyOfRun: (run: PolicyColumns) => policyOfRun(policyOf, run),
    readCommand: createReadCommand(),
    watch,
    deltas,
    runStreams,
    ...sessions,
    ...egress,
    figures: figures.store,
    placeOffer: placeOfferWith(money.services),
  };
}

export type Village = ReturnType<typeof villageOf>;
