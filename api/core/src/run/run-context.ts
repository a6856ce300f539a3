import {
  ContextClaim,
  RUN_CONTEXT_PARTS_MAX,
  VisibleClaim,
  type JournalClaim,
  type RunContextPart,
} from '@hamlet/contract';
import { callsOf, type ClaimedCall } from './project-claims.ts';

/** A part of a request, with the reference of its text. */
export type PlannedPart = Readonly<Pick<RunContextPart, 'source' | 'form' | 'tokens' | 'tool'>> & {
  readonly run: string | null;
  readonly ref: string | null;
};

export interface PlannedContext {
  readonly promptTokens: number | null;
  readonly parts: readonly PlannedPart[];
  readonly omitted: number;
}

type Visible = VisibleClaim | ContextClaim;

/**
 * The parts of the request with the number `ask`: those before the turns of the run, and the turns that no summary had
 * replaced. Null if the claims lack the request or what it began with. Claims are in the order of the journal. Pure.
 */
export function planContext(claims: readonly JournalClaim[], ask: number): PlannedContext | null {
  const known = claims.flatMap((claim): readonly Visible[] => {
    const read = VisibleClaim.safeParse(claim).data ?? ContextClaim.safeParse(claim).data;
    return read === undefined ? [] : [read];
  });
  const at = known.findLastIndex((claim) => claim.type === 'model_asked' && claim.ask === ask);
  const before = known.slice(0, Math.max(0, at));
  const built = before.findLast((claim) => claim.type === 'context_built');
  if (built === undefined) return null;
  const folded = before.findLast((claim) => claim.type === 'turns_compacted')?.turns ?? 0;
  const calls = callsOf(claims);
  const turns = before.flatMap((claim) => turnPart(claim, { folded, calls }) ?? []);
  const begun = built.parts.map(({ text: ref, ...part }): PlannedPart => ({ ...part, ref, tool: null }));
  const room = RUN_CONTEXT_PARTS_MAX - begun.length;
  return {
    promptTokens: promptTokensOf(known.slice(at)),
    parts: [...begun, ...turns.slice(-room)],
    omitted: Math.max(0, turns.length - room),
  };
}

/** The number of an answer counts the turns of its run from 1; the ids of its calls begin with it. */
function turnPart(
  claim: Visible,
  { folded, calls }: { readonly folded: number; readonly calls: ReadonlyMap<string, ClaimedCall> },
): PlannedPart | null {
  const part = { form: 'whole', run: null } as const;
  if (claim.type === 'model_answered' && claim.ask > folded)
    return { ...part, source: 'answer', tokens: claim.usage.completion, tool: null, ref: claim.message };
  if (claim.type !== 'tool_settled' || Number.parseInt(claim.call, 10) <= folded) return null;
  return { ...part, source: 'result', tokens: null, tool: calls.get(claim.call)?.tool ?? null, ref: claim.result };
}

/** The first end of the request. A count of zero says that the provider does not count. */
function promptTokensOf(claims: readonly Visible[]): number | null {
  const end = claims.find((claim) => claim.type === 'model_answered' || claim.type === 'model_failed');
  return end === undefined || end.usage.prompt === 0 ? null : end.usage.prompt;
}

/**
 * The tokens of the parts without a count, estimated from their bytes by the bytes per token of the agent's own
 * estimates. Pure.
 */
export function withEstimates<T extends Readonly<{ tokens: number | null; bytes: number | null }>>(
  parts: readonly T[],
): readonly T[] {
  const counted = parts.filter(({ tokens, bytes }) => tokens !== null && tokens > 0 && bytes !== null);
  const bytes = counted.reduce((sum, part) => sum + (part.bytes ?? 0), 0);
  const tokens = counted.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
  if (bytes === 0) return parts;
  return parts.map((part) =>
    part.tokens === null && part.bytes !== null ? { ...part, tokens: Math.ceil((part.bytes * tokens) / bytes) } : part,
  );
}
