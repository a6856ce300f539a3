import { parseArgs } from 'node:util';

/** Reads options that are whole numbers above 0 from the command line. Prints the usage and ends for `--help`. */
export function readCounts<Name extends string>(
  usage: string,
  defaults: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const options = Object.entries(defaults).map(
    ([name, value]) => [name, { type: 'string', default: String(value) }] as const,
  );
  const { values } = parseArgs({ options: { ...Object.fromEntries(options), help: { type: 'boolean' as const } } });
  const given: Readonly<Record<string, string | boolean | undefined>> = values;
  if (given['help'] === true) {
    console.log(usage);
    process.exit(0);
  }
  const counts = options.map(([name]) => [name, Number(given[name])] as const);
  if (!counts.every(([, value]) => Number.isInteger(value) && value > 0))
    throw new Error(`every option must be a whole number above 0\n\n${usage}`);
  return Object.fromEntries(counts) as Record<Name, number>;
}
