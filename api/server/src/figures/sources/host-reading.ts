import { z } from 'zod';

const Percent = z.number().min(0).max(100).nullable();

/** The kernel's figures of one machine. */
export const HostReading = z.strictObject({
  /** Time of the reading by the clock of the replica; once stored, by that of Redis. */
  at: z.iso.datetime(),
  totalBytes: z.number().positive(),
  availableBytes: z.number().min(0),
  cpuPressure: Percent,
  memoryPressure: Percent,
  /** Percent of the last ten seconds in which all work waited for memory. */
  memoryStalled: Percent,
  ioPressure: Percent,
  temperatureCelsius: z.number().nullable(),
});
export type HostReading = z.infer<typeof HostReading>;

interface HostFiles {
  readonly at: Date;
  readonly meminfo: string;
  /** Empty if the kernel does not measure pressure. */
  readonly pressure: Readonly<Record<'cpu' | 'memory' | 'io', string>>;
  /** Thousandths of a degree, one text a sensor. */
  readonly sensors: readonly string[];
}

const KIB = 1_024;
/** Sensors that are not connected show values outside of this range, in degrees. */
const SENSOR_RANGE = { min: 1, max: 130 } as const;

function kibibytes(meminfo: string, field: string): number | null {
  const digits = new RegExp(`^${field}:\\s+(\\d{1,15}) kB$`, 'm').exec(meminfo)?.[1];
  return digits === undefined ? null : Number(digits) * KIB;
}

/** Some or all work, in the last minute or the last ten seconds. */
const PRESSURES = {
  some60: /^some .*\bavg60=(\d{1,3}\.\d{1,2})\b/m,
  full10: /^full .*\bavg10=(\d{1,3}\.\d{1,2})\b/m,
} as const;

/** Percent of a time in which work waited, from a file in /proc/pressure; null if the text has none. */
function waiting(text: string, which: keyof typeof PRESSURES = 'some60'): number | null {
  const found = PRESSURES[which].exec(text)?.[1];
  return found === undefined ? null : Math.min(100, Number(found));
}

function warmest(sensors: readonly string[]): number | null {
  const degrees = sensors.map((text) => Number(text.trim() || Number.NaN) / 1_000);
  const known = degrees.filter((each) => each >= SENSOR_RANGE.min && each <= SENSOR_RANGE.max);
  return known.length === 0 ? null : Math.max(...known);
}

/** Null if the text of /proc/meminfo lacks MemTotal or MemAvailable. */
export function hostReadingOf({ at, meminfo, pressure, sensors }: HostFiles): HostReading | null {
  const totalBytes = kibibytes(meminfo, 'MemTotal');
  const availableBytes = kibibytes(meminfo, 'MemAvailable');
  if (totalBytes === null || totalBytes === 0 || availableBytes === null) return null;
  return {
    at: at.toISOString(),
    totalBytes,
    availableBytes,
    cpuPressure: waiting(pressure.cpu),
    memoryPressure: waiting(pressure.memory),
    memoryStalled: waiting(pressure.memory, 'full10'),
    ioPressure: waiting(pressure.io),
    temperatureCelsius: warmest(sensors),
  };
}
