import { join } from 'node:path';
import { ACP_PRESETS, type AcpPresetName } from '@hamlet/contract/resident';
import type { Preset, Presets } from '../preset.ts';
import { prepareWith } from './prepare-preset.ts';

const LOCKS = join(import.meta.dirname, '../../../../programs');

/** How a program of the contract's table starts. `{state}`: its folder for settings and conversations. */
type Start = Pick<Preset, 'command' | 'env' | 'files' | 'mode'> & { readonly rebuild?: readonly string[] };

const json = (value: unknown): string => JSON.stringify(value, null, 1);

/** Removes the quotes around placeholders of numbers, which JSON cannot hold bare. */
const withNumbers = (text: string): string => text.replaceAll(/"(\{(?:context|answer)\})"/g, '$1');

const STARTS: Readonly<Record<AcpPresetName, Start>> = {
  'claude-code': {
    command: ['claude-agent-acp'],
    env: {
      CLAUDE_CONFIG_DIR: '{state}',
      ANTHROPIC_SMALL_FAST_MODEL: '{model}',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: '{model}',
      ANTHROPIC_DEFAULT_SONNET_MODEL: '{model}',
      ANTHROPIC_DEFAULT_OPUS_MODEL: '{model}',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '{context}',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Without this variable, the program does not start as root, which is its user in the hands.
      IS_SANDBOX: '1',
    },
    files: [],
    mode: 'default',
  },
  codex: {
    command: ['codex-acp'],
    env: {
      CODEX_HOME: '{state}',
      MODEL_PROVIDER: 'hamlet',
      INITIAL_AGENT_MODE: 'read-only',
      NO_BROWSER: '1',
    },
    files: [
      {
        path: '{state}/config.toml',
        text: `model = "{model}"
model_provider = "hamlet"
model_context_window = {context}
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
apps = false
plugins = false
remote_plugin = false
plugin_discovery_prefetch = false

[model_providers.hamlet]
name = "hamlet"
base_url = "{door}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`,
      },
    ],
    mode: 'read-only',
  },
  opencode: {
    command: ['opencode', 'acp'],
    env: {
      OPENCODE_CONFIG: '{state}/opencode.json',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_SHARE: '1',
    },
    files: [
      {
        path: '{state}/opencode.json',
        text: withNumbers(
          json({
            provider: {
              hamlet: {
                npm: '@ai-sdk/openai-compatible',
                options: { baseURL: '{env:OPENAI_BASE_URL}', apiKey: '{env:OPENAI_API_KEY}' },
                models: { '{model}': { limit: { context: '{context}', output: '{answer}' } } },
              },
            },
            model: 'hamlet/{model}',
            small_model: 'hamlet/{model}',
            permission: { edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask' },
            autoupdate: false,
            share: 'disabled',
          }),
        ),
      },
    ],
    mode: null,
    rebuild: ['opencode-ai'],
  },
  pi: {
    command: ['pi-acp'],
    env: {
      PI_CODING_AGENT_DIR: '{state}/agent',
      PI_ACP_DATA_DIR: '{state}/acp',
      PI_ACP_PI_COMMAND: '{bin}pi',
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      PI_SKIP_VERSION_CHECK: '1',
    },
    files: [
      {
        path: '{state}/agent/models.json',
        text: withNumbers(
          json({
            providers: {
              hamlet: {
                baseUrl: '{door}',
                api: 'openai-completions',
                apiKey: '$OPENAI_API_KEY',
                models: [{ id: '{model}', contextWindow: '{context}', maxTokens: '{answer}' }],
              },
            },
          }),
        ),
      },
      {
        path: '{state}/agent/settings.json',
        text: json({
          defaultProvider: 'hamlet',
          defaultModel: '{model}',
          quietStartup: true,
          enableInstallTelemetry: false,
        }),
      },
    ],
    mode: null,
  },
  'qwen-code': {
    command: ['qwen', '--acp'],
    env: {
      QWEN_HOME: '{state}',
      OPENAI_MODEL: '{model}',
      QWEN_USAGE_STATISTICS_ENABLED: 'false',
    },
    files: [
      {
        path: '{state}/settings.json',
        text: withNumbers(
          json({
            security: { auth: { selectedType: 'openai' } },
            model: { name: '{model}', generationConfig: { contextWindowSize: '{context}' } },
            tools: { approvalMode: 'default' },
            general: { enableAutoUpdate: false },
            privacy: { usageStatisticsEnabled: false },
            telemetry: { enabled: false },
          }),
        ),
      },
    ],
    mode: 'default',
  },
};

/** The programs that `spec.runtime.config.preset` of the runtime `acp` may name, as the installer knows them. */
export const PRESETS: Presets = {
  programs: Object.fromEntries(
    Object.entries(STARTS).map(([preset, { rebuild = [], ...start }]): [string, Preset] => {
      const { title: name, version, licence, megabytes } = ACP_PRESETS[preset as AcpPresetName];
      return [preset, { name, version, licence, megabytes, ...start, install: { lock: preset, rebuild } }];
    }),
  ),
  prepare: prepareWith(LOCKS),
};
