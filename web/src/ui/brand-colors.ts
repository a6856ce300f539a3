/** An accent with the ink on it and a soft ground, as #rrggbb. */
export interface AccentColors {
  readonly accent: string;
  readonly ink: string;
  readonly soft: string;
}

type Rgb = readonly [number, number, number];

/** `paper` and the ground of the page, as in tokens.css. */
const GROUNDS = { light: ['#fcfcf8', '#f0f2ec'], dark: ['#151b21', '#202831'] } as const;
/** Text of an ordinary size needs this contrast (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5;
const STEP = 0.05;
const SOFT = 0.9;

/** The colors of a brand in a theme: links and buttons stay readable, so the accent moves towards black or white as far as needed. Pure. */
export function accentColors(brand: string, theme: 'light' | 'dark'): AccentColors {
  const [paper, page] = GROUNDS[theme].map(rgbOf) as [Rgb, Rgb];
  const end: Rgb = theme === 'light' ? [0, 0, 0] : [255, 255, 255];
  const softOf = (accent: Rgb): Rgb => mixed(accent, paper, SOFT);
  const isReadable = (accent: Rgb): boolean =>
    [paper, page, softOf(accent)].every((ground) => contrast(accent, ground) >= CONTRAST_MIN);
  let accent = rgbOf(brand);
  for (let part = STEP; part <= 1 && !isReadable(accent); part += STEP) accent = mixed(rgbOf(brand), end, part);
  const [ink = end] = INKS.toSorted((one, other) => contrast(other, accent) - contrast(one, accent));
  return { accent: hexOf(accent), ink: hexOf(ink), soft: hexOf(softOf(accent)) };
}

const INKS: readonly Rgb[] = [
  [255, 255, 255],
  [6, 16, 12],
];

const rgbOf = (hex: string): Rgb => {
  const byte = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16);
  return [byte(1), byte(3), byte(5)];
};

const hexOf = (rgb: Rgb): string => `#${rgb.map((each) => each.toString(16).padStart(2, '0')).join('')}`;

function mixed([r, g, b]: Rgb, [r2, g2, b2]: Rgb, part: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * part);
  return [between(r, r2), between(g, g2), between(b, b2)];
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const linear = (each: number): number => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const [r, g, b] = rgb;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
