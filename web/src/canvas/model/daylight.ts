import { clamp } from './camera.ts';

/** The light: a colour that multiplies all colours, and the strength of lamps and windows (0 to 1). */
export type Daylight = Readonly<{ tint: number; glow: number }>;

/** The light at some minutes of the village's day; between two entries it changes linearly. */
const LIGHT: readonly {
  readonly minute: number;
  readonly rgb: readonly [number, number, number];
  readonly glow: number;
}[] = [
  { minute: 0, rgb: [92, 114, 176], glow: 1 },
  { minute: 270, rgb: [96, 116, 178], glow: 1 },
  { minute: 360, rgb: [226, 184, 190], glow: 0.45 },
  { minute: 440, rgb: [255, 240, 218], glow: 0 },
  { minute: 600, rgb: [255, 255, 255], glow: 0 },
  { minute: 1000, rgb: [255, 253, 246], glow: 0 },
  { minute: 1110, rgb: [255, 224, 188], glow: 0.25 },
  { minute: 1200, rgb: [182, 156, 190], glow: 0.7 },
  { minute: 1290, rgb: [98, 116, 180], glow: 1 },
  { minute: 1440, rgb: [92, 114, 176], glow: 1 },
];

/** The light changes every 4 minutes, which are 4 s: smaller changes are hardly seen, and each draws the whole map. */
const LIGHT_MINUTES = 4;

export function daylight(minute: number): Daylight {
  const at = clamp(Math.floor(minute / LIGHT_MINUTES) * LIGHT_MINUTES, 0, 1440);
  const after = LIGHT.findIndex((entry) => entry.minute > at);
  const right = LIGHT[after === -1 ? LIGHT.length - 1 : after];
  const left = LIGHT[after <= 0 ? LIGHT.length - 1 : after - 1];
  if (left === undefined || right === undefined) return { tint: 0xffffff, glow: 0 };
  const span = right.minute - left.minute;
  const share = span === 0 ? 0 : (at - left.minute) / span;
  const mix = (from: number, to: number): number => from + (to - from) * share;
  const [red, green, blue] = [0, 1, 2].map((channel) =>
    Math.round(mix(left.rgb[channel] ?? 255, right.rgb[channel] ?? 255)),
  );
  return { tint: ((red ?? 255) << 16) | ((green ?? 255) << 8) | (blue ?? 255), glow: mix(left.glow, right.glow) };
}

/** The sum of the channels by which two steps of light differ, and the worth of all lamps in it. */
const STEP = 32;
const GLOW = 80;

/** The same number for lights that differ little. */
export function lightStep({ tint, glow }: Daylight): number {
  const brightness = (tint >> 16) + ((tint >> 8) & 255) + (tint & 255);
  return Math.round((brightness - GLOW * glow) / STEP);
}
