import { Environment, ParseError, type ASTNode } from '@marcbachmann/cel-js';

/** Maximum characters of an expression. */
export const MAX_EXPRESSION_CHARS = 4_000;
const LIMITS = { maxAstNodes: 1_000, maxDepth: 32, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };

/**
 * Number of expressions for which one environment is used. The package keeps the name of each function that an environment has read, so
 * that an environment that stays would grow with each name that a manifest invents.
 */
const EXPRESSIONS_PER_ENVIRONMENT = 200;

export type Parsed = Readonly<{ ok: true; ast: ASTNode }> | Readonly<{ ok: false; message: string }>;

const used = { environment: newEnvironment(), expressions: 0 };

/** An environment with a function of its own has a list of functions of its own; any other shares the list of the package. */
function newEnvironment(): Environment {
  return new Environment({ unlistedVariablesAreDyn: true, limits: LIMITS }).registerFunction('hamlet(): int', () => 0n);
}

/** Reads a CEL expression. Only the grammar of the package is used, never its evaluation, which cannot be bounded. */
export function parseExpression(text: string): Parsed {
  if (text.length > MAX_EXPRESSION_CHARS) {
    return {
      ok: false,
      message: `an expression has at most ${MAX_EXPRESSION_CHARS} characters: this one has ${text.length}`,
    };
  }
  if (used.expressions === EXPRESSIONS_PER_ENVIRONMENT) {
    used.environment = newEnvironment();
    used.expressions = 0;
  }
  used.expressions += 1;
  try {
    return { ok: true, ast: used.environment.parse(text).ast };
  } catch (error) {
    if (error instanceof ParseError) return { ok: false, message: `${error.summary}${place(error)}` };
    throw error;
  }
}

const place = ({ range }: ParseError): string => (range === undefined ? '' : `, at character ${range.start + 1}`);
