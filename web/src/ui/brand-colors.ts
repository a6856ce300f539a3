/** An accent with the ink on it and a soft ground, as #rrggbb. */
export interface AccentColors {
  readonly accent: string;
  readonly ink: string;
  readonly soft: string;
}

type Rgb = readonly [number, number, number];

const PAPER = { light: '#fcfcf8', dark: '#151b21' } as const;
/** Text of an ordinary size needs this contrast (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5;
const STEP = 0.05;
const SOFT = 0.86;

/** The colors of a brand in a theme: links and buttons stay readable, so the accent moves towards black or white as far as needed. Pure. */
export function accentColors(brand: string, theme: 'light' | 'dark'): AccentColors {
  const paper = rgbOf(PAPER[theme]);
  const end: Rgb = theme === 'light' ? [0, 0, 0] : [255, 255, 255];
  let accent = rgbOf(brand);
  for (let part = STEP; part <= 1 && contrast(accent, paper) < CONTRAST_MIN; part += STEP)
    accent = mixed(rgbOf(brand), end, part);
  const inks: readonly Rgb[] = [
    [255, 255, 255],
    [6, 16, 12],
  ];
  const [ink = end] = inks.toSorted((one, other) => contrast(other, accent) - contrast(one, accent));
  return { accent: hexOf(accent), ink: hexOf(ink), soft: hexOf(mixed(accent, paper, SOFT)) };
}

const rgbOf = (hex: string): Rgb => {
  const byte = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16);
  return [byte(1), byte(3), byte(5)];
};

const hexOf = (rgb: Rgb): string => `#${rgb.map((each) => Math.round(each).toString(16).padStart(2, '0')).join('')}`;

const mixed = ([r, g, b]: Rgb, [r2, g2, b2]: Rgb, part: number): Rgb => [
  r + (r2 - r) * part,
  g + (g2 - g) * part,
  b + (b2 - b) * part,
];

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
