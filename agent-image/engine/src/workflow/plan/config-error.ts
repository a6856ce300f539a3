import type { DagCode } from './dag-problem.ts';

/**
 * The kinds of CONFIG_ERROR. `config_file`: a file is missing, unknown or cannot be read. `config_syntax`: it is not the YAML that
 * manifests use. `config_limit`: it is too large. `config_unknown_key`, `config_schema`: a key or a value that its schema refuses.
 * `config_duplicate`: two entries with one id. `config_reference`: an id that no manifest has. `config_expression`: an expression that
 * cannot be compiled. `config_dag`: nodes and edges that make no workflow.
 */
export type ConfigCode =
  | 'config_file'
  | 'config_syntax'
  | 'config_limit'
  | 'config_unknown_key'
  | 'config_schema'
  | 'config_duplicate'
  | 'config_reference'
  | 'config_expression'
  | 'config_dag';

/** An error of a manifest. `message` says what failed, `hint` how to mend it. */
export type ConfigError = Readonly<{
  code: ConfigCode;
  /** The name of the manifest, such as `workflow.yaml`. */
  file: string;
  /** Starts at 1. An error without a place of its own, such as a missing file, is at 1:1. */
  line: number;
  column: number;
  /** The place in the value, such as `workflow.nodes[3].tool`; empty for the whole file. */
  path: string;
  message: string;
  hint: string | null;
  /** Only with `config_dag`: the rule of the DAG that is broken. */
  problem?: DagCode;
}>;

export type Result<T> = Readonly<{ ok: true; value: T }> | Readonly<{ ok: false; errors: readonly ConfigError[] }>;

/** A place in the value of a manifest. */
export type ConfigPath = readonly (string | number)[];

/** An error before its line is known. `at`: the key at the path, or the value. */
export type ConfigProblem = Readonly<
  Pick<ConfigError, 'code' | 'file' | 'message' | 'hint' | 'problem'> & { path: ConfigPath; at: 'key' | 'value' }
>;

/** The text of a path: `workflow.nodes[3].tool`. */
export const pathText = (path: ConfigPath): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
