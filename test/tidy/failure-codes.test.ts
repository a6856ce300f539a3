/** The table of failure categories has every code with which a model, a call, a run or an answer in JSON fails today. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { PANICS, PROVIDER_FAILURES } from '@hamlet/contract';
import { ToolOutcome } from '../../agent-image/engine/src/effects/tool-outcome.ts';
import { JournalEvent } from '../../agent-image/engine/src/journal/event.ts';
import { JSON_ERROR_CODES } from '../../agent-image/engine/src/json/index.ts';
import { FAILURE_CODES, type FailureOrigin } from '../../agent-image/engine/src/workflow/route/failure-of.ts';
import { MODEL_ERROR_CODES } from '../../api/models/src/chat/model-error.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The first group of each match, in the sources of these patterns. Fails if there is none, so that a moved source is found. */
function found(files: string, pattern: RegExp): readonly string[] {
  const texts = globSync(files, { cwd: ROOT, exclude: ['**/*.test.ts', '**/node_modules/**'] });
  const codes = texts.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(([, code = '']) => code),
  );
  assert.ok(codes.length > 0, `${files} has no ${pattern}`);
  return codes;
}

/** The members of a union of texts. */
function union(file: string, name: string): readonly string[] {
  const [declared = ''] = found(file, new RegExp(`type ${name} =([^;]*);`, 'g'));
  return [...declared.matchAll(/'([a-z_]+)'/g)].map(([, code = '']) => code);
}

function lacking(origin: FailureOrigin, codes: readonly string[]): readonly string[] {
  const known = new Set(Object.values(FAILURE_CODES[origin]).flat());
  return [...new Set(codes)].filter((code) => !known.has(code));
}

const BUDGET_CODES = JournalEvent.options.flatMap((form) =>
  form.shape.type.value === 'budget_warned' && 'code' in form.shape ? Object.values(budgetEnum(form.shape.code)) : [],
);

function budgetEnum(schema: unknown): Readonly<Record<string, string>> {
  assert.ok(typeof schema === 'object' && schema !== null && 'enum' in schema);
  return schema.enum as Readonly<Record<string, string>>;
}

test('the table has every failure of a model', () => {
  const gateway = found('api/contract/src/http/model-failure.ts', /^ {2}([a-z_]+): \{$/gm);
  const lost = found('agent-image/engine/src/state/reduce.ts', /\{ code: '([a-z_]+)'/g);
  assert.deepEqual(
    lacking('model', [...MODEL_ERROR_CODES, ...Object.keys(PROVIDER_FAILURES), ...gateway, ...lost]),
    [],
  );
});

test('the table has every outcome of a failed call, and every code of the engine for one', () => {
  const kinds = ToolOutcome.options.map(({ shape }) => shape.kind.value).filter((kind) => kind !== 'ok');
  const denials = ToolOutcome.options.flatMap(({ shape }) =>
    shape.kind.value === 'denied' && 'code' in shape ? Object.values(budgetEnum(shape.code)) : [],
  );
  assert.ok(denials.length > 0);
  const own = found('agent-image/engine/src/{loop,state}/*.ts', /kind: 'failed', code: '([a-z_]+)', text/g);
  assert.deepEqual(lacking('tool', [...kinds, ...denials, ...BUDGET_CODES, ...own]), []);
});

const ENGINE = 'agent-image/engine/src';
const RESIDENT = 'agent-image/resident/src';

test('the table has every failure of a run: of the engine, of runtimes, of residents and of the village', () => {
  const ofEngine = [
    ...BUDGET_CODES,
    ...found(`${ENGINE}/state/decide.ts`, /failed\('([a-z_]+)'/g),
    ...found(`${ENGINE}/state/run-state.ts`, /'(answer_[a-z_]+|output_[a-z_]+)'/g),
    ...found(`${ENGINE}/loop/*.ts`, /kind: 'failed', code: '([a-z_]+)', answer/g),
    ...found(`${ENGINE}/context/run-stage.ts`, /new NoAnswer\('([a-z_]+)'/g),
    ...union(`${ENGINE}/loop/engine.ts`, 'EngineRefusal'),
  ];
  const ofRuntimes = [
    ...found('agent-image/*/src/**/*.ts', /new RunFailure\(\s*'([a-z_]+)'/g),
    ...found(`${ENGINE}/runtimes/command-runtime.ts`, /(?:failed\(|code: )'([a-z_]+)'/g),
    ...found(`${ENGINE}/runtimes/runtime-registry.ts`, /code: '([a-z_]+)'/g),
    ...found('agent-image/*/src/**/*.ts', /programSettings\(\w+, [\w.]+, '([a-z_]+)'/g),
    ...found(`${RESIDENT}/acp/acp-runtime.ts`, /(?:failed\(|code: )'([a-z_]+)'/g),
    ...found(`${RESIDENT}/acp/presets/install-failure.ts`, /'(program_[a-z_]+)'/g),
  ];
  const ofVillage = [
    ...found(`${RESIDENT}/runs/{mind-of-run,settlement}.ts`, /code: '([a-z_]+)'/g),
    ...found(`${RESIDENT}/runs/settlement.ts`, /'(timed_out|[a-z_]+_failed)'/g),
    ...union('api/store/src/runs/overdue.ts', 'GivenUp').filter((code) => code !== 'stopped'),
    ...union('api/core/src/run/decide-run.ts', 'FailureCode'),
    ...union('api/core/src/run/decide-run.ts', 'UnfitCode'),
    ...Object.keys(PANICS),
  ];
  const codes = [...ofEngine, ...ofRuntimes, ...ofVillage];
  const ofModels = codes.filter((code) => code.startsWith('model_')).map((code) => code.slice('model_'.length));
  assert.deepEqual(
    [
      lacking(
        'run',
        codes.filter((code) => !code.startsWith('model_')),
      ),
      lacking('model', ofModels),
    ],
    [[], []],
  );
});

test('the table has every error of the JSON engine', () => {
  assert.deepEqual(lacking('json', JSON_ERROR_CODES), []);
});
