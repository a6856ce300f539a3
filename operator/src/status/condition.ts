import { MAX_MESSAGE_CHARS, type Condition, type ConditionStatus } from '@hamlet/contract/kinds';
import { shorten } from '@hamlet/core/shorten';

/** A condition before it has a type and a time. */
export interface ConditionResult<Reason extends string = string> {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

export const yes = <Reason extends string>(reason: Reason, message: string): ConditionResult<Reason> => ({
  status: 'True',
  reason,
  message,
});

export const no = <Reason extends string>(reason: Reason, message: string): ConditionResult<Reason> => ({
  status: 'False',
  reason,
  message,
});

/** The conditions of a status. Only a changed status gives a condition the transition time `now` (RFC 3339). */
export function conditionsOf(
  results: readonly (readonly [type: string, result: ConditionResult])[],
  before: readonly Condition[] | undefined,
  now: string,
): Condition[] {
  return results.map(([type, { status, reason, message }]) => {
    const earlier = before?.find((condition) => condition.type === type);
    const lastTransitionTime = earlier?.status === status ? earlier.lastTransitionTime : now;
    return {
      type,
      status,
      reason: reason === '' ? 'Unknown' : reason,
      message: shorten(message, MAX_MESSAGE_CHARS),
      lastTransitionTime,
    };
  });
}

export function conditionIn(
  { conditions }: { readonly conditions?: readonly Condition[] | undefined },
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export const present = <Status extends object>(fields: {
  readonly [K in keyof Status]?: Status[K] | undefined;
}): Status => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Status;

/** A time without fractions of a second, because people read whole seconds and writers differ in the digits. */
export const wholeSeconds = (time: string): string => time.replace(/\.\d+(?=Z|[+-])/, '');
