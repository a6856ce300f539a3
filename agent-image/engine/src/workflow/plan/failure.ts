/** The kind of part that failed. Closed: rules of manifests name these categories. */
export const FAILURE_CATEGORIES = [
  'agent',
  'tool',
  'json',
  'context',
  'routing',
  'permission',
  'config',
  'engine',
] as const;
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number];

/** Why a stage failed. `code`: machine-readable, lower snake case, at most 64 characters. `message`: for people. */
export type StageFailure = Readonly<{ category: FailureCategory; code: string; message: string }>;

/** The failure of a stage with its place, on the task, its run and its telemetry. Field names are those of its JSON form. */
export type FailureSignature = Readonly<{
  taskId: string;
  pipelineId: string;
  stageId: string;
  nodeType: string;
  category: FailureCategory;
  code: string;
}>;
