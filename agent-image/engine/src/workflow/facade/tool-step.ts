import type { SettledCall, StageAt, ToolStep } from '../../flow/flow-ports.ts';
import { fillTemplate } from '../expression/fill-template.ts';
import type { FailureCategory, StageFailure } from '../plan/failure.ts';
import type { PlanStage } from '../plan/plan.ts';
import { executionOutput, uncalled, type ExecutionOutput, type ExecutionStatus } from '../tools/execution.ts';
import { nextInPlan, ToolPlan, type Fill, type PlanMove } from '../tools/tool-plan.ts';

const CATEGORY: Readonly<Record<Exclude<ExecutionStatus, 'ok'>, FailureCategory>> = {
  tool_failed: 'tool',
  permission_denied: 'permission',
  engine_error: 'engine',
};

/** The next calls of a tool stage, or its end: one call of its tool, or the steps of the ToolPlan that is its input. Pure. */
export function toolStep(at: StageAt, settled: readonly SettledCall[]): ToolStep {
  const { stage, input } = at;
  if (stage.toolPlan !== null) return planStep(at, settled);
  const [call] = settled;
  if (call === undefined) return { kind: 'calls', calls: [{ tool: stage.tool ?? '', arguments: input ?? {} }] };
  const output = outputOf(call);
  return output.status === 'ok' ? { kind: 'done', output: output.value } : failed(output);
}

const outputOf = ({ outcome, durationMs }: SettledCall): ExecutionOutput =>
  outcome === null
    ? uncalled('result_deleted', 'The result of the call was deleted.')
    : executionOutput(outcome, durationMs);

type ReadPlan = ReturnType<typeof ToolPlan.safeParse>;

/** Plans by the input that they were read from and the attempt at it, and the arguments of their steps once they have their values. */
const plans = new WeakMap<object, Map<string, ReadPlan>>();
const filled = new WeakMap<object, ReturnType<Fill>>();

function planIn({ input, attempt, round }: StageAt): ReadPlan {
  if (typeof input !== 'object' || input === null) return ToolPlan.safeParse(input);
  const known = plans.get(input) ?? new Map<string, ReadPlan>();
  const key = `${round}.${attempt}`;
  const plan = known.get(key) ?? ToolPlan.safeParse(input);
  plans.set(input, known.set(key, plan));
  return plan;
}

function planStep(at: StageAt, settled: readonly SettledCall[]): ToolStep {
  const plan = planIn(at);
  if (!plan.success) {
    const issues = plan.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    return {
      kind: 'failed',
      failure: { category: 'json', code: 'bad_tool_plan', message: `The input is not a ToolPlan: ${issues}` },
    };
  }
  const outputs: { step: number; output: ExecutionOutput }[] = [];
  for (const call of settled) {
    const move = nextInPlan(plan.data, outputs, fill);
    if (move.kind === 'call') outputs.push({ step: move.input.step, output: outputOf(call) });
  }
  const next = nextInPlan(plan.data, outputs, fill);
  return isNamed(at.stage, next) ? stepOf(next) : notNamed(at.stage, next);
}

/** A model may have written the plan: it calls only tools that its node names. */
const isNamed = ({ toolPlan }: PlanStage, next: PlanMove): boolean =>
  next.kind !== 'call' || toolPlan?.includes(next.input.tool_name) === true;

function notNamed({ id, toolPlan }: PlanStage, next: PlanMove): ToolStep {
  const name = next.kind === 'call' ? next.input.tool_name : '';
  const message = `The ToolPlan of ${id} names ${name}, and its node allows ${toolPlan?.join(', ')}. Add it to tool_plan in workflow.yaml.`;
  return { kind: 'failed', failure: { category: 'permission', code: 'tool_not_named', message } };
}

function stepOf(next: PlanMove): ToolStep {
  switch (next.kind) {
    case 'call':
      return { kind: 'calls', calls: [{ tool: next.input.tool_name, arguments: next.input.arguments }] };
    case 'done':
      return { kind: 'done', output: next.output };
    case 'failed':
      return failed(next.end, `Step ${next.step}: `);
    default:
      return next satisfies never;
  }
}

/** The values of a step depend on earlier results alone, which do not change: they are computed once. */
const fill: Fill = (template, results) => {
  const key = typeof template === 'object' ? template : null;
  const known = key === null ? undefined : filled.get(key);
  if (known !== undefined) return known;
  const made = fillTemplate(template, { input: results });
  if (key !== null) filled.set(key, made);
  return made;
};

function failed({ status, code, text }: ExecutionOutput, before = ''): ToolStep {
  const failure: StageFailure = {
    category: status === 'ok' ? 'engine' : CATEGORY[status],
    code: code ?? 'tool_failed',
    message: `${before}${text ?? 'The tool failed.'}`,
  };
  return { kind: 'failed', failure };
}
