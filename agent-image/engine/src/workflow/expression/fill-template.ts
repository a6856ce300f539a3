import { isJsonObject } from '../../json/canonical-json.ts';
import type { Template } from '../plan/plan.ts';
import { boundedJson, compileExpression, type Evaluated } from './expression.ts';
import { Fault } from './fault.ts';
import { MAX_DEPTH } from './json-value.ts';
import type { Scope } from './place.ts';
import { Work } from './work.ts';

/** Maximum number of expressions in a template. */
const MAX_EXPRESSIONS = 200;

type Path = readonly (string | number)[];
type Visit = (text: string, path: Path) => unknown;

/** `path`: the keys and indexes that lead from the template to the fault. */
export type TemplateProblem = Readonly<{ path: Path; message: string }>;

/**
 * The template with the values of its expressions: strings that begin with `=`. `==` at the start stands for a literal `=`. All
 * expressions together have the limits of one, and so has the value.
 */
export function fillTemplate(template: Template, scope: Scope): Evaluated {
  const work = new Work();
  try {
    const value = replaced(template, (text, path) => {
      const compiled = compileExpression(text, { part: 'stage' });
      const result = compiled.ok ? compiled.evaluate(scope, work) : compiled;
      if (result.ok) return result.value;
      throw new Fault(`${path.length === 0 ? '' : `${path.join('.')}: `}${result.message}`);
    });
    return boundedJson(value);
  } catch (error) {
    if (error instanceof Fault) return { ok: false, message: error.message };
    throw error;
  }
}

/** The faults of a template that can be known before it is filled. `stages`: ids that it may name; any without it. */
export function templateProblems(template: Template, stages?: ReadonlySet<string>): readonly TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  try {
    replaced(template, (text, path) => {
      const compiled = compileExpression(text, { part: 'stage', ...(stages && { stages }) });
      if (!compiled.ok) problems.push({ path, message: compiled.message });
      return null;
    });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    problems.push({ path: [], message: error.message });
  }
  return problems;
}

function replaced(template: Template, visit: Visit): unknown {
  let expressions = 0;
  const counted: Visit = (text, path) => {
    expressions += 1;
    if (expressions > MAX_EXPRESSIONS) throw new Fault(`a template has at most ${MAX_EXPRESSIONS} expressions`);
    return visit(text, path);
  };
  return replacedIn(template, counted, []);
}

function replacedIn(template: Template, visit: Visit, path: Path): unknown {
  if (typeof template === 'string') return template.startsWith('=') ? replacedText(template, visit, path) : template;
  if (path.length > MAX_DEPTH) throw new Fault(`a template nests lists and objects at most ${MAX_DEPTH} levels deep`);
  if (Array.isArray(template)) return template.map((item, index) => replacedIn(item, visit, [...path, index]));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, replacedIn(value, visit, [...path, key])]),
  );
}

const replacedText = (text: string, visit: Visit, path: Path): unknown =>
  text.startsWith('==') ? text.slice(1) : visit(text, path);
