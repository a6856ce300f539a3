/** Name of the runtime whose program speaks the Agent Client Protocol; also of its call in a run. */
export const ACP_RUNTIME = 'acp';

/** A program that speaks the Agent Client Protocol, and that an Agent names in `spec.runtime.config.preset`. */
export interface AcpPreset {
  /** The name of the program for people. */
  readonly title: string;
  /** The npm package with its exact version: the one that the tests run. */
  readonly package: string;
  readonly version: string;
  readonly licence: string;
  /** Size of the installed program in MB, on the volume of the agent. */
  readonly megabytes: number;
  /** True if the program asks before it changes files and runs commands. */
  readonly asks: boolean;
  /** A fact to know before choosing the preset. */
  readonly note: string | null;
}

/** Memory of a tier with which the program of a preset works, as a quantity; Claude Code and OpenCode were tried with it. */
export const PRESET_MEMORY = '1Gi';

/** The presets of the runtime `acp`, by their names. */
export const ACP_PRESETS = {
  'claude-code': {
    title: 'Claude Code',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.101.0',
    licence: "Apache-2.0; Claude Code: Anthropic's commercial terms",
    megabytes: 402,
    asks: true,
    note: null,
  },
  codex: {
    title: 'Codex',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    licence: 'Apache-2.0',
    megabytes: 457,
    asks: true,
    note: null,
  },
  opencode: {
    title: 'OpenCode',
    package: 'opencode-ai',
    version: '1.18.33',
    licence: 'MIT',
    megabytes: 354,
    asks: true,
    note: null,
  },
  pi: {
    title: 'Pi',
    package: 'pi-acp',
    version: '0.0.34',
    licence: 'MIT',
    megabytes: 176,
    asks: false,
    note: 'Pi never asks: it changes files and runs commands at once. The broker and the container are its only limits.',
  },
  'qwen-code': {
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    licence: 'Apache-2.0',
    megabytes: 152,
    asks: true,
    note: null,
  },
} as const satisfies Readonly<Record<string, AcpPreset>>;

export type AcpPresetName = keyof typeof ACP_PRESETS;

export const isAcpPreset = (name: string): name is AcpPresetName => Object.hasOwn(ACP_PRESETS, name);
