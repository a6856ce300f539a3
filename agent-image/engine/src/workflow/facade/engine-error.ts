import type { ConfigError } from '../plan/config-error.ts';

/** Stable codes of errors of the façade. */
export type EngineErrorCode =
  | 'config_error'
  | 'data_locked'
  | 'no_such_task'
  | 'no_such_stage'
  | 'task_exists'
  | 'task_open'
  | 'plan_changed'
  | 'no_pipeline'
  | 'handler_missing'
  | 'handler_unknown'
  | 'input_invalid'
  | 'engine_closed';

/** An error of the engine's façade. The message says what failed, then the fix. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  /** The faults of the manifests; empty for other codes. */
  readonly errors: readonly ConfigError[];

  constructor(
    code: EngineErrorCode,
    message: string,
    options: ErrorOptions & { errors?: readonly ConfigError[] } = {},
  ) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
    this.errors = options.errors ?? [];
  }
}

/** The error of manifests with faults: all of them, a line each. */
export function configError(errors: readonly ConfigError[]): EngineError {
  const lines = errors.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
  return new EngineError('config_error', `The manifests have faults:\n${lines.join('\n')}`, { errors });
}
