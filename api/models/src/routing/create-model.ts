import type { AdapterDelta, ChatDelta, Spent, Target } from '../chat/chat-delta.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { estimateCost, type ModelPrice } from '../chat/cost-estimate.ts';
import { collectAnswer } from '../chat/fold-answer.ts';
import { describeImages } from '../chat/image-text.ts';
import { ModelFault, type ModelError, type ModelErrorCode } from '../chat/model-error.ts';
import type { ChatAdapter, Model } from '../chat/model.ts';
import { completeUsage, type ReportedUsage } from '../chat/token-usage.ts';
import type { AnswerLimits } from '../transport/answer-limits.ts';
import { pause, type ModelPorts } from '../transport/model-ports.ts';
import { callerError, scrubber, scrubDeep } from '../transport/scrub.ts';
import { EvenAnswer } from './even-answer.ts';
import { decideNext, type FailedTry, type RetryPolicy } from './decide-next.ts';
import { ALL_CAPABILITIES, fitRequest, type Capabilities } from './fit-request.ts';
import { repairRequest } from './repair-request.ts';

export interface ModelTarget {
  readonly adapter: ChatAdapter;
  readonly model: string;
  readonly price: ModelPrice | null;
  readonly can?: Capabilities | undefined;
  /** Maximum tokens of a prompt and its answer together, for servers that reserve them for each request. */
  readonly contextTokens?: number | undefined;
}

export interface ModelSetup {
  /** The first target answers; the others are its fallbacks, in order. At least one target. */
  readonly targets: readonly ModelTarget[];
  readonly fallbackOn: readonly ModelErrorCode[];
  readonly retry: RetryPolicy;
  readonly limits: Pick<AnswerLimits, 'toolCalls'>;
  readonly ports: Pick<ModelPorts, 'after' | 'random'>;
}

/** The pieces that one attempt yielded. Mutable because it collects them. */
class Attempt {
  isVisible = false;
  text = '';
  reported: ReportedUsage = {};

  take(delta: AdapterDelta): void {
    switch (delta.kind) {
      case 'usage':
        this.reported = { ...this.reported, ...definedOf(delta.usage) };
        return;
      case 'tool':
        this.isVisible = true;
        this.text += (delta.name ?? '') + (delta.arguments ?? '');
        return;
      case 'text':
        this.isVisible ||= delta.text !== '';
        this.text += delta.text;
        return;
      case 'reasoning':
        this.text += delta.text;
        return;
      case 'logprobs':
      case 'end':
        return;
      default:
        delta satisfies never;
    }
  }
}

function definedOf(usage: ReportedUsage): ReportedUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== undefined));
}

/** The usage of an attempt; zero if the provider sent nothing. */
function spentOf(attempt: Attempt, request: ChatRequest, price: ModelPrice | null): Spent {
  const isTouched = attempt.text !== '' || Object.keys(attempt.reported).length > 0;
  const nothing = { promptTokens: 0, completionTokens: 0 };
  const usage = completeUsage(isTouched ? attempt.reported : nothing, request, attempt.text);
  return { usage, costEstimate: price === null ? null : estimateCost(usage, price) };
}

interface Round {
  readonly request: ChatRequest;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly refusal: string | null;
}

/** The pieces of an attempt for its caller: the end carries the usage. */
function* shownPieces(
  pieces: Iterable<AdapterDelta>,
  about: { readonly target: ModelTarget; readonly request: ChatRequest; readonly attempt: Attempt },
): Generator<ChatDelta> {
  const { target, request, attempt } = about;
  for (const piece of pieces) {
    attempt.take(piece);
    if (piece.kind === 'end') {
      const raw = scrubDeep(piece.raw, scrubber(target.adapter.secrets()));
      yield { ...piece, raw, ...spentOf(attempt, request, target.price) };
    } else if (piece.kind !== 'usage') yield piece;
  }
}

/** The pieces of the provider for one attempt. Throws its failure. */
function ask({ adapter, model, contextTokens, can = ALL_CAPABILITIES }: ModelTarget, round: Round) {
  const { request, stream, signal, refusal } = round;
  signal.throwIfAborted();
  if (refusal !== null) throw new ModelFault('bad_request', refusal);
  const sent = can.images ? request : describeImages(request);
  return adapter.ask({ request: sent, model, stream: stream && can.stream, signal, contextTokens });
}

/**
 * Makes an attempt, and those that follow it: each uses up one of the `attempts` of a target, or a part of the request.
 * One generator reads the pieces of an attempt, because each further one costs every token some microseconds.
 */
async function* attemptFrom(setup: ModelSetup, turn: Turn): AsyncGenerator<ChatDelta> {
  const { number, round, at } = turn;
  const { request, signal } = round;
  const target = setup.targets[at];
  if (target === undefined) throw new Error('a model needs at least one target');
  const attempt = new Attempt();
  const about = { target, request, attempt };
  const even = new EvenAnswer(request, setup.limits, target.can);
  yield { kind: 'begin', attempt: number, target: nameOf(target) };
  let error: ModelError;
  try {
    for await (const delta of ask(target, round)) {
      signal.throwIfAborted();
      for (const piece of shownPieces(even.take(delta), about)) yield piece;
      if (delta.kind === 'end') return;
      if (even.isHolding) yield { kind: 'held' };
    }
    throw new ModelFault('network', 'the provider closed the answer before its end');
  } catch (thrown) {
    const { adapter } = target;
    error = callerError(thrown, { provider: adapter.provider, secrets: adapter.secrets(), signal });
  }
  for (const piece of shownPieces(even.cut(), about)) yield piece;
  const { delayMs, next } = nextOf(setup, turn, { error, isVisible: attempt.isVisible });
  const spent = spentOf(attempt, request, target.price);
  if (next === null) {
    yield { kind: 'failed', error, ...spent };
    return;
  }
  yield { kind: 'retry', error, delayMs, ...spent };
  await pause(setup.ports, delayMs, signal);
  yield* attemptFrom(setup, next);
}

/** An attempt at one of the targets. */
interface Turn {
  /** Number of all attempts, from 1. */
  readonly number: number;
  readonly round: Round;
  /** Index of the target. */
  readonly at: number;
  /** Number of the attempt at this target, from 1. */
  readonly attemptHere: number;
}

/** The next attempt after a failure: a repaired request at once, or the same one as decided. `next` is null if there is none. */
function nextOf(
  { targets, ports, fallbackOn, retry }: ModelSetup,
  turn: Turn,
  failed: Pick<FailedTry, 'error' | 'isVisible'>,
): { readonly delayMs: number; readonly next: Turn | null } {
  const { number, round, at, attemptHere } = turn;
  const again = { ...turn, number: number + 1, attemptHere: attemptHere + 1 };
  const repaired = failed.isVisible ? null : repairRequest(round.request, failed.error);
  if (repaired !== null) return { delayMs: 0, next: { ...again, round: { ...round, request: repaired } } };
  const isLastTarget = at === targets.length - 1;
  const tried: FailedTry = { ...failed, attempt: attemptHere, isLastTarget, fallbackOn, chance: ports.random() };
  const step = decideNext(tried, retry);
  if (step.do === 'stop') return { delayMs: 0, next: null };
  if (step.do === 'next') return { delayMs: 0, next: { ...again, at: at + 1, attemptHere: 1 } };
  return { delayMs: step.delayMs, next: again };
}

function nameOf({ adapter, model }: ModelTarget): Target {
  return { provider: adapter.provider, model };
}

/**
 * A model over a chain of targets, with retries, limits, usage, costs, and errors as values. It skips targets that
 * cannot serve a request; see `fitRequest`. A target that cannot stream returns its whole answer in one piece.
 */
export function createModel(setup: ModelSetup): Model {
  const start = (asked: ChatRequest, stream: boolean): AsyncGenerator<ChatDelta> => {
    const { targets, request, refusal } = fitRequest(setup.targets, asked);
    const signal = request.signal ?? new AbortController().signal;
    const round = { request, stream, signal, refusal };
    return attemptFrom({ ...setup, targets }, { number: 1, round, at: 0, attemptHere: 1 });
  };
  return {
    chat: (request) => collectAnswer(start(request, false)),
    stream: (request) => start(request, true),
  };
}
