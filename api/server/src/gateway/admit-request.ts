import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionBody, Refusal } from '@hamlet/contract';
import { QUEUE_WAIT_MAX_MS } from '@hamlet/models';
import {
  admitModelRequest,
  hadModelInRun,
  inTransaction,
  isVillageFrozenError,
  MODEL_HOUR_S,
  takeOfRun,
} from '@hamlet/store';
import type { Admission, Db, ModelHour, RequestLife } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import type { ShownLimit } from '../http/rate-limit.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { AgentLimits, Allowance } from '../limits/agent-limits.ts';
import type { Log } from '../service/log.ts';
import { noteOf, type Reservation, type TokenMeter, type TokenQuote } from '../money/compute/token-meter.ts';
import { refusalOfHold } from '../money/ledger/refusal-of-hold.ts';
import type { RunDeltas } from '../runs/run-deltas.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import type { AnswerTimes } from './answer-clock.ts';
import { endUnasked } from './carry-out.ts';
import type { ProviderPlace, ProviderQueue } from './provider-queue.ts';
import { budgetsForProgram, findAskingRun, programRunIn, type AskingRun } from './asking-run.ts';
import type { ModelHealth } from './models/model-health.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { withinRun, type PlannedRequest } from './plan-request.ts';
import type { OpenBrake, StreamBrakes } from './stream-brakes.ts';
import type { ModelCatalog } from './models/village-models.ts';
import type { Tracing } from '../tracing/start-tracing.ts';

const BUSY_RETRY_S = 5;
const MARGIN_MS = 30_000;

/** Age beyond which a request cannot be in progress on any replica. Pure. */
export function requestLife({ totalMs }: Pick<AnswerTimes, 'totalMs'>): RequestLife {
  return { limitS: Math.ceil((totalMs + QUEUE_WAIT_MAX_MS + MARGIN_MS) / 1_000) };
}

export interface GatewayPorts {
  readonly db: Db;
  readonly limits: AgentLimits;
  readonly catalog: ModelCatalog;
  readonly queue: ProviderQueue;
  readonly answerTimes: AnswerTimes;
  /** Days to keep prompts and answers; 0 keeps none. */
  readonly textDays: number;
  readonly meter: TokenMeter;
  readonly brakes: StreamBrakes;
  readonly deltas: Pick<RunDeltas, 'open'>;
  readonly metrics: GatewayMetrics;
  readonly health: ModelHealth;
  readonly log: Log;
  readonly monotonicMs: () => number;
  /** Null if the village has no traces. */
  readonly tracing: Pick<Tracing, 'ofModelRequest'> | null;
}

interface AskedModel {
  readonly agent: AgentActor;
  readonly model: string;
  readonly metadata: ChatCompletionBody['metadata'];
  readonly headers: IncomingHttpHeaders;
  readonly plan: (allowance: Allowance) => Outcome<PlannedRequest>;
  readonly traceparent: string;
  readonly gone: AbortSignal;
}

/** An accepted request, with its tokens and money reserved. The caller must pass it to `carryOut` or `withdraw`, which end it in every case. */
export interface Ticket {
  readonly requestId: string;
  readonly agentId: string;
  readonly run: AskingRun | null;
  readonly brake: OpenBrake;
  readonly plan: PlannedRequest;
  /** The place at the provider; `carryOut` releases it. */
  readonly place: ProviderPlace;
  readonly reservation: Reservation;
  readonly limits: readonly ShownLimit[];
  readonly startedMs: number;
}

export function modelLimits({ limits }: Allowance, { used, resetsInS, inFlight }: ModelHour): readonly ShownLimit[] {
  const tokens = limits.tokens_per_hour ?? 0;
  const atOnce = limits.concurrent_model_requests ?? 0;
  return [
    {
      name: 'tokens',
      quota: tokens,
      remaining: Math.max(0, tokens - used),
      unit: 'tokens',
      windowS: MODEL_HOUR_S,
      resetS: resetsInS,
    },
    { name: 'in-flight', quota: atOnce, remaining: Math.max(0, atOnce - inFlight), unit: 'concurrent-requests' },
  ];
}

function timeOfDay(ms: number): string {
  return `${new Date(Math.ceil(ms / 60_000) * 60_000).toISOString().slice(11, 16)} UTC`;
}

function tooMuch(
  reason: 'too_many_in_flight' | 'token_quota_exhausted',
  allowance: Allowance,
  { hour, tokens, now }: { readonly hour: ModelHour; readonly tokens: number; readonly now: Date },
): Refused {
  const limits = modelLimits(allowance, hour);
  const { tokens_per_hour: quota, concurrent_model_requests: atOnce } = allowance.limits;
  if (reason === 'too_many_in_flight') {
    return {
      ...refused(
        reason,
        `The tier ${allowance.tier} allows ${atOnce ?? 0} model requests at a time, and ${hour.inFlight} are in progress; wait for one to end`,
      ),
      limits,
      retryAfterS: 1,
    };
  }
  const detail = `This request needs ${tokens} tokens. The tier ${allowance.tier} allows ${quota ?? 0} an hour, and ${Math.max(0, (quota ?? 0) - hour.used)} are left until ${timeOfDay(now.getTime() + hour.resetsInS * 1_000)}`;
  return { ...refused(reason, detail), limits, retryAfterS: hour.resetsInS };
}

function refusalOf(
  admission: Exclude<Admission, { readonly verdict: 'admitted' }>,
  { agentId, allowance, plan: { quotaTokens }, quote: { amount } }: Wanted,
  now: Date,
): Refused {
  switch (admission.verdict) {
    case 'too_many_in_flight':
    case 'token_quota_exhausted':
      return tooMuch(admission.verdict, allowance, { hour: admission.hour, tokens: quotaTokens, now });
    case 'barred':
      return refusalOfBar(agentId, admission.bar);
    case 'token_invalid':
    case 'stale_cycle':
      return refused(admission.verdict);
    case 'in_run':
      return refused('unavailable', `A run of ${agentId} has just begun; try again`);
    case 'no_account':
      return refused('insufficient_funds', `${agentId} has no money yet`);
    case 'unpaid':
      return refusalOfHold(admission.reason, { agentId, asked: amount, funds: admission.funds });
    default:
      return admission satisfies never;
  }
}

interface Wanted {
  readonly agentId: string;
  readonly allowance: Allowance;
  readonly plan: PlannedRequest;
  readonly quote: TokenQuote;
  readonly run: AskingRun | null;
}

type Entered = Pick<Ticket, 'requestId' | 'limits' | 'reservation' | 'plan'>;

type Entering = Wanted & { readonly pays: boolean };

/**
 * Enters a request. Those of a run's programs enter one after another, each with what the earlier ones leave of the budgets: what it
 * may use is taken before it starts, and what it did not use is free again at its end.
 */
async function enter(ports: GatewayPorts, asked: AskedModel, wanted: Entering): Promise<Outcome<Entered>> {
  const { agentId, run } = wanted;
  if (run === null || !run.isProgram) return reserve(ports, asked, wanted);
  return inTransaction(ports.db, async (tx) => {
    const left = await budgetsForProgram(tx, asked.agent, run.runId);
    if (!left.ok) return left;
    if (left.data === null) return reserve({ ...ports, db: tx }, asked, wanted);
    const planned = withinRun(wanted.plan, left.data);
    if (!planned.ok) return planned;
    const quoted = ports.meter.quote(agentId, planned.data.tokens);
    if (!quoted.ok) return quoted;
    const part = { ...wanted, plan: planned.data, quote: quoted.data };
    const entered = await reserve({ ...ports, db: tx }, asked, part);
    if (entered.ok)
      await takeOfRun(tx, entered.data.requestId, { tokens: part.plan.tokens, micros: part.quote.amount });
    return entered;
  });
}

/** One statement verifies the agent and reserves the request, its tokens and, with `pays`, the money. */
async function reserve(
  { db, answerTimes }: Pick<GatewayPorts, 'db' | 'answerTimes'>,
  { agent, model, traceparent }: AskedModel,
  { pays, ...wanted }: Entering,
): Promise<Outcome<Entered>> {
  const { agentId, allowance, plan, quote, run } = wanted;
  const runId = run?.runId ?? null;
  const { quotaTokens, served } = plan;
  const circumstance = { podUid: agent.podUid, runId, traceparent };
  const lastsMs = answerTimes.totalMs + MARGIN_MS;
  const admission = await admitModelRequest(db, {
    agentId,
    agentUid: agent.uid,
    podUid: agent.podUid,
    runId,
    tier: allowance.tier,
    model: served.name,
    provider: served.provider,
    reservedTokens: quotaTokens,
    inFlightMax: allowance.limits.concurrent_model_requests ?? 0,
    quota: allowance.limits.tokens_per_hour ?? 0,
    life: requestLife(answerTimes),
    proof: agent.proof ?? null,
    payment: pays ? { amount: quote.amount, lastsMs, note: noteOf(model), about: circumstance } : null,
  });
  if (admission.verdict !== 'admitted') return refusalOf(admission, wanted, new Date());
  const { requestId, holdId, hour } = admission;
  return accepted({
    requestId,
    plan,
    limits: modelLimits(allowance, { ...hour, used: hour.used + quotaTokens, inFlight: hour.inFlight + 1 }),
    reservation: { agentId, holdId, perThousand: quote.perThousand, held: quote.amount, key: requestId, circumstance },
  });
}

async function pay(
  ports: GatewayPorts,
  { agent, model, traceparent }: AskedModel,
  entered: { readonly requestId: string; readonly tokens: number; readonly runId: string | null },
): Promise<Outcome<Reservation>> {
  const { requestId, tokens, runId } = entered;
  const reserved = await ports.meter
    .reserve({
      agentId: agent.agentId,
      model,
      tokens,
      key: requestId,
      lastsMs: ports.answerTimes.totalMs + MARGIN_MS,
      circumstance: { podUid: agent.podUid, runId, traceparent },
    })
    .catch((error: unknown) => {
      if (isVillageFrozenError(error)) return refused('village_frozen');
      throw error;
    });
  return reserved;
}

async function takePlace(
  { queue }: GatewayPorts,
  { served }: PlannedRequest,
  about: { readonly rank: number; readonly signal: AbortSignal; readonly brake: OpenBrake },
): Promise<Outcome<ProviderPlace>> {
  const { rank, signal, brake } = about;
  const outcome = await queue.enter({ provider: served.provider, rank, signal });
  if (outcome === 'busy')
    return refused(
      'model_busy',
      `The provider of ${served.name} has too many waiting requests, or this one waited too long; try again`,
      BUSY_RETRY_S,
    );
  if (outcome === 'left')
    return brake.refusal() ?? refused('model_busy', 'The caller disconnected while the request waited');
  return accepted(outcome);
}

type Waiting = Wanted & Entered & { readonly brake: OpenBrake };

async function equip(
  ports: GatewayPorts,
  asked: AskedModel,
  { requestId, plan, allowance, brake, run }: Waiting,
): Promise<Outcome<Pick<Ticket, 'place' | 'reservation'>>> {
  const signal = AbortSignal.any([asked.gone, brake.signal]);
  const place = await takePlace(ports, plan, { rank: allowance.rank, signal, brake });
  if (!place.ok) return place;
  let isPaid = false;
  try {
    const reserved = await pay(ports, asked, { requestId, tokens: plan.tokens, runId: run?.runId ?? null });
    isPaid = reserved.ok;
    return reserved.ok ? accepted({ place: place.data, reservation: reserved.data }) : reserved;
  } finally {
    if (!isPaid) place.data.release();
  }
}

type Seated = Entered & Pick<Ticket, 'place'>;

async function enterAt(
  place: ProviderPlace,
  ports: GatewayPorts,
  about: { readonly asked: AskedModel; readonly wanted: Wanted },
): Promise<Outcome<Seated>> {
  let isIn = false;
  try {
    const entered = await enter(ports, about.asked, { ...about.wanted, pays: true });
    isIn = entered.ok;
    return entered.ok ? accepted({ ...entered.data, place }) : entered;
  } finally {
    if (!isIn) place.release();
  }
}

/** Enters a request that waits for its place: it counts as one of the agent's requests, and holds no money. */
async function enterAndWait(
  ports: GatewayPorts,
  asked: AskedModel,
  { brake, ...wanted }: Wanted & { readonly brake: OpenBrake },
): Promise<Outcome<Seated>> {
  const entered = await enter(ports, asked, { ...wanted, pays: false });
  if (!entered.ok) return entered;
  const equipped = await equip(ports, asked, { ...wanted, ...entered.data, brake });
  if (equipped.ok) return accepted({ ...entered.data, ...equipped.data });
  await endUnasked(ports, entered.data, { reason: equipped.reason, isGone: asked.gone.aborted });
  return equipped;
}

/** Programs have half of an agent's requests at a time, so that the agent itself can always think. */
function allowanceOf(whole: Allowance, run: AskingRun | null): Allowance {
  if (run === null || !run.isProgram) return whole;
  const half = Math.ceil((whole.limits.concurrent_model_requests ?? 0) / 2);
  return { ...whole, limits: { ...whole.limits, concurrent_model_requests: half } };
}

/**
 * The limits of an agent. In a run they include the model of a purchase that has ended since the start of the run: a run keeps
 * the model with which it began.
 */
async function limitsIn(
  { db, limits }: GatewayPorts,
  { agent: { agentId }, model }: AskedModel,
  run: AskingRun | null,
): Promise<Allowance | null> {
  const allowance = await limits.of(agentId);
  if (allowance === null || run === null || allowance.limits.models.includes(model)) return allowance;
  if (!(await hadModelInRun(db, { agentId, runId: run.runId, model }))) return allowance;
  return { ...allowance, limits: { ...allowance.limits, models: [...allowance.limits.models, model] } };
}

async function letIn(
  ports: GatewayPorts,
  asked: AskedModel,
  about: { readonly brake: OpenBrake; readonly run: AskingRun | null },
): Promise<Outcome<Ticket>> {
  const { agentId } = asked.agent;
  const startedMs = ports.monotonicMs();
  const whole = await limitsIn(ports, asked, about.run);
  if (whole === null) return refused('model_not_in_tier', `${agentId} has no tier now`);
  const allowance = allowanceOf(whole, about.run);
  const planned = asked.plan(allowance);
  if (!planned.ok) return planned;
  const plan = planned.data;
  const quoted = ports.meter.quote(agentId, plan.tokens);
  if (!quoted.ok) return quoted;
  const wanted: Wanted = { agentId, allowance, plan, quote: quoted.data, run: about.run };
  const place = ports.queue.tryEnter(plan.served.provider);
  const seated =
    place === null
      ? await enterAndWait(ports, asked, { ...wanted, brake: about.brake })
      : await enterAt(place, ports, { asked, wanted });
  return seated.ok ? accepted({ ...seated.data, ...about, agentId, startedMs }) : seated;
}

async function letInBraked(ports: GatewayPorts, asked: AskedModel, run: AskingRun | null): Promise<Outcome<Ticket>> {
  // Postgres shows a measure that began before the reservation; the brake ends the answer for a later one.
  const brake = ports.brakes.open(asked.agent.agentId, run?.publisher ?? null);
  let admitted = false;
  try {
    const outcome = await letIn(ports, asked, { brake, run });
    admitted = outcome.ok;
    return outcome;
  } finally {
    if (!admitted) brake.close();
  }
}

/** Reasons of a refusal that may not hold in a run: the API then looks for the agent's run, and decides again. */
const MAY_DIFFER_IN_RUN: ReadonlySet<string> = new Set<Refusal>(['unavailable', 'model_not_in_tier']);

/**
 * Accepts a request or refuses it with a reason. It checks in this order: the tier includes the model, a provider
 * serves it, the prompt is short enough, the agent has fewer requests in progress than its tier allows, the agent's
 * tokens of the hour suffice, the provider has a place in time, the agent has money.
 */
export async function admitRequest(ports: GatewayPorts, asked: AskedModel): Promise<Outcome<Ticket>> {
  const program = programRunIn(asked.headers);
  if (!program.ok) return program;
  // Most requests without the id of a run come from agents without one. The admission itself checks this, which saves a trip.
  if (program.data === null && (asked.metadata?.run_id ?? null) === null) {
    const outcome = await letInBraked(ports, asked, null);
    if (outcome.ok || !MAY_DIFFER_IN_RUN.has(outcome.reason)) return outcome;
  }
  const run = await findAskingRun(ports, { ...asked, program: program.data });
  return run.ok ? letInBraked(ports, asked, run.data) : run;
}
