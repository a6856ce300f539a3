/**
 * Custom tools take free text. Models get each as a function with one text, because only OpenAI's models know custom
 * tools.
 */
import type { ChatTool } from '@hamlet/contract';
import type { ToolCall, ToolDefinition } from '@hamlet/models';

interface CustomTool {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly format?: { readonly type: string } | null | undefined;
}

const PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The text that the tool takes' } },
  required: ['input'],
  additionalProperties: false,
};

function formatText(format: CustomTool['format']): string {
  if (format === null || format === undefined || format.type === 'text') return '';
  return `The input must have this form:\n${JSON.stringify(format)}`;
}

export function functionOfCustom({ name, description, format }: CustomTool): ToolDefinition {
  const words = [description ?? '', formatText(format)].filter((part) => part !== '').join('\n\n');
  return { name, description: words, parameters: PARAMETERS };
}

/** The arguments of the function that stands for a custom tool, with its text. */
export function argumentsOfCustom(input: string): string {
  return JSON.stringify({ input });
}

/** The text for a custom tool; the arguments themselves if the model did not write them as asked. */
export function inputOfCustom({ arguments: text }: Pick<ToolCall, 'arguments'>): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'input' in value && typeof value.input === 'string')
      return value.input;
  } catch {
    // The text itself is passed on below.
  }
  return text;
}

export function customNames(tools: readonly ChatTool[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])));
}
