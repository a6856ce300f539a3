import type { z } from 'zod';
import type { Effect, EventOf } from '../journal/event.ts';
import { coerceAndValidate, type JsonIssue } from '../json/index.ts';
import type { ArgumentAliases } from './argument-aliases.ts';
import { argumentNames } from './argument-names.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** `id`: of a piece of the program's work, unique in the call. `claim`: what the program says about it. */
export type ProgramNote = Readonly<{
  id: string;
  tool: string;
  outcome: EventOf<'program_noted'>['outcome'];
  claim: string;
}>;

export type CallContext = Readonly<{
  run: string;
  conversation: string;
  call: string;
  /** The arguments as the model wrote them, as canonical JSON. */
  args: string;
  /** The idempotency key of the tool: the same for all attempts of a call, different for every other call. */
  key: string;
  attempt: number;
  fence: number;
  /** Aborts at the timeout, at a cancel and at the end of the engine. */
  signal: AbortSignal;
  /** Characters of a result for which the model's context has room; absent if it is unknown. */
  roomChars?: number;
  /** Reports output while the call runs. The journal does not store it, and nothing is reported after a cancel. */
  output: (text: string) => void;
  /** Journals what the call's program says about its own work. After the end of the call it has no effect. */
  note: (note: ProgramNote) => void;
}>;

/** A tool's finding about an attempt with an unknown outcome. `not_done` must be certain, because the call then runs again. */
export type Verified =
  | Readonly<{ kind: 'done'; outcome: ToolOutcome }>
  | Readonly<{ kind: 'not_done' }>
  | Readonly<{ kind: 'unknown' }>;

/** The tool did nothing, because the village requires a person's permission first. The engine asks for it. */
export type NeedsPermission = Readonly<{ kind: 'needs_permission'; reason: string }>;

/** The call waits for something outside of the engine. Once all open calls of the run wait so, the run is parked; then it runs again. */
export type ParkedCall = Readonly<{ kind: 'parked'; code: string; waitMs: number }>;
/** The end of an attempt that settles no call. */
export type Postponed = NeedsPermission | ParkedCall;

type Description<Input> = Readonly<{
  name: string;
  description: string;
  input: z.ZodType<Input>;
  /** Other names that models give to its arguments. A call runs if its arguments fit once they have the tool's own names. */
  aliases?: ArgumentAliases | undefined;
  timeoutMs: number;
  /** True if the tool only waits for something or looks whether it has happened: its calls count neither for nor against progress. */
  polls?: boolean;
  /** The outcome of a call that must not run, settled before its intent; null if it may run. Pure. */
  refuses?: (input: Input) => ToolOutcome | null;
  execute: (input: Input, context: CallContext) => Promise<ToolOutcome | Postponed>;
  /** The text that the model keeps of the newest call after a summary has replaced the call; by default none. Pure. */
  keeps?: (input: Input) => string;
}>;

/** A tool as its author writes it. Only tools with the effect `verify` have a function `verify`, and they must have one. */
export type ToolDefinition<Input> = Description<Input> &
  (
    | Readonly<{ effect: 'verify'; verify: (input: Input, context: CallContext) => Promise<Verified> }>
    | Readonly<{ effect: Exclude<Effect, 'verify'> }>
  );

export type PreparedCall = Readonly<{
  execute: (context: CallContext) => Promise<ToolOutcome | Postponed>;
  verify: (context: CallContext) => Promise<Verified>;
}>;

/** A tool as the engine uses it: its input type is known only inside `prepare`. */
export type Tool = Readonly<{
  name: string;
  description: string;
  input: z.ZodType;
  aliases?: ArgumentAliases | undefined;
  effect: Effect;
  timeoutMs: number;
  polls: boolean;
  /** Checks the arguments. For wrong or refused arguments, returns an outcome from which the model can correct them. */
  prepare: (
    input: unknown,
  ) => Readonly<{ ok: true; call: PreparedCall }> | Readonly<{ ok: false; outcome: ToolOutcome }>;
  /** The text that a summary keeps of the newest call; none for wrong arguments. */
  keeps?: (input: unknown) => readonly string[];
}>;

const MAX_ISSUES = 20;
const UNVERIFIED = async (): Promise<Verified> => ({ kind: 'unknown' });

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, input, aliases, effect, timeoutMs, polls = false, refuses, execute, keeps } = definition;
  const verify = definition.effect === 'verify' ? definition.verify : UNVERIFIED;
  return {
    name,
    description,
    input,
    aliases,
    effect,
    timeoutMs,
    ...(keeps && {
      keeps: (value: unknown) => {
        const { success, data } = input.safeParse(value);
        return success ? [keeps(data)] : [];
      },
    }),
    polls,
    prepare: (value) => {
      const fitted = coerceAndValidate(value, input);
      if (!fitted.ok) return { ok: false, outcome: invalidInput(fitted.issues, input) };
      const data = fitted.value;
      const outcome = refuses?.(data) ?? null;
      if (outcome !== null) return { ok: false, outcome };
      return {
        ok: true,
        call: { execute: (context) => execute(data, context), verify: (context) => verify(data, context) },
      };
    },
  };
}

const INVENTED = /^Unrecognized key/;
const NO_OBJECT = /expected object, received/;

/** An object that has another type is named with the fields that it needs. */
function withFields({ path, expected }: JsonIssue, input: z.ZodType): JsonIssue {
  const fields = path !== '' && NO_OBJECT.test(expected) ? argumentNames(input, path) : [];
  return fields.length === 0
    ? { path, expected }
    : { path, expected: `${expected}; its fields are ${fields.join(', ')}` };
}

/** The faults of the arguments, and all names of arguments if one was invented. */
function invalidInput(faults: readonly JsonIssue[], input: z.ZodType): ToolOutcome {
  const issues = faults.map((fault) => withFields(fault, input));
  const isInvented = issues.some(({ path, expected }) => path === '' && INVENTED.test(expected));
  const names = isInvented ? [{ path: '', expected: `the arguments are ${argumentNames(input).join(', ')}` }] : [];
  return { kind: 'invalid_input', issues: [...issues.slice(0, MAX_ISSUES - names.length), ...names] };
}
