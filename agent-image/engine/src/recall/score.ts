/** The numbers of hits at which recall is measured. */
export const RECALL_AT = [5, 10, 20] as const;
export type RecallAt = (typeof RECALL_AT)[number];

/** The answer of a search to one question. */
export interface Answered {
  readonly kind: string;
  readonly evidence: readonly string[];
  /** Ids of the returned turns, best first. */
  readonly returned: readonly string[];
  /** Tokens of the first ten turns. */
  readonly tokens: number;
  readonly ms: number;
}

export interface RecallScore {
  readonly questions: number;
  /** Mean share of the evidence among the first 5, 10 and 20 turns, 0 to 1. */
  readonly recall: Readonly<Record<RecallAt, number>>;
  /** Mean tokens of the first ten turns. */
  readonly tokens: number;
  readonly p95Ms: number;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The share of the evidence among the first `k` returned turns. */
export function recallAt(k: number, { evidence, returned }: Pick<Answered, 'evidence' | 'returned'>): number {
  const first = new Set(returned.slice(0, k));
  return mean(evidence.map((id) => (first.has(id) ? 1 : 0)));
}

/** The smallest value that 95 % of all values do not exceed; 0 without values. */
export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0;
}

/** Scores all questions that have evidence. */
export function scoreRecall(answered: readonly Answered[]): RecallScore {
  const scored = answered.filter(({ evidence }) => evidence.length > 0);
  const at = (k: RecallAt): number => mean(scored.map((each) => recallAt(k, each)));
  return {
    questions: scored.length,
    recall: { 5: at(5), 10: at(10), 20: at(20) },
    tokens: mean(scored.map(({ tokens }) => tokens)),
    p95Ms: p95(answered.map(({ ms }) => ms)),
  };
}

/** The score of each kind of question, in the order in which the kinds first occur. */
export function scoreByKind(answered: readonly Answered[]): ReadonlyMap<string, RecallScore> {
  const groups = Map.groupBy(answered, ({ kind }) => kind);
  return new Map([...groups].map(([kind, group]) => [kind, scoreRecall(group)]));
}
