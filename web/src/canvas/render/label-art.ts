import { ICON_PATHS, iconOr } from '../../ui/icon-paths.ts';

/** Breaks text into at most `maxLines` lines; an ellipsis replaces the rest. Cuts a word that is wider than a line. */
export function wrapText(
  text: string,
  box: { readonly maxWidth: number; readonly maxLines: number },
  measure: (text: string) => number,
): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const lines: string[] = [];
  let line = '';
  for (const [index, word] of words.entries()) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (measure(joined) <= box.maxWidth) {
      line = joined;
      continue;
    }
    if (lines.length === box.maxLines - 1 || line === '') {
      const rest = line === '' ? [word, ...words.slice(index + 1)] : [line, ...words.slice(index)];
      if (lines.length === box.maxLines - 1) return [...lines, ellipsis(rest.join(' '), box.maxWidth, measure)];
      lines.push(ellipsis(word, box.maxWidth, measure));
      continue;
    }
    lines.push(line);
    line = word;
  }
  if (line !== '') lines.push(measure(line) <= box.maxWidth ? line : ellipsis(line, box.maxWidth, measure));
  return lines;
}

/** The longest prefix of `text` that fits with an ellipsis after it; all of `text` if it fits. */
export function ellipsis(text: string, maxWidth: number, measure: (text: string) => number): string {
  if (measure(text) <= maxWidth) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${text.slice(0, middle).trimEnd()}…`) <= maxWidth) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}

type Label = Readonly<{ canvas: HTMLCanvasElement; width: number; height: number }>;
export type LabelSpec =
  | {
      readonly kind: 'name';
      readonly text: string;
      readonly tone: 'plain' | 'asleep' | 'offline';
      readonly selected: boolean;
    }
  | { readonly kind: 'bubble'; readonly text: string; readonly crowd: boolean }
  | { readonly kind: 'landmark'; readonly text: string; readonly icon: string; readonly labelled: boolean }
  | { readonly kind: 'zone'; readonly text: string }
  | { readonly kind: 'pin'; readonly tone: 'plain' | 'chosen' | 'draft'; readonly count: number }
  | { readonly kind: 'cluster'; readonly count: number; readonly radius: number };

const FAMILY = '"Nunito Variable", system-ui, sans-serif';
const BUBBLE_TEXT_PX = 190;

export const labelKey = (spec: LabelSpec): string => Object.values(spec).join('|');

export function paintLabel(spec: LabelSpec, pixelRatio: number): Label {
  switch (spec.kind) {
    case 'name':
      return paintName(spec, pixelRatio);
    case 'bubble':
      return paintBubble(spec, pixelRatio);
    case 'landmark':
      return paintLandmark(spec, pixelRatio);
    case 'zone':
      return paintZone(spec, pixelRatio);
    case 'cluster':
      return paintCluster(spec, pixelRatio);
    case 'pin':
      return paintPin(spec, pixelRatio);
  }
}

type Ctx = CanvasRenderingContext2D;
const ruler = { ctx: null as Ctx | null };

function measure(font: string): (text: string) => number {
  ruler.ctx ??= document.createElement('canvas').getContext('2d');
  const ctx = ruler.ctx;
  if (ctx === null) return (text) => text.length * 7;
  return (text) => {
    ctx.font = font;
    return ctx.measureText(text).width;
  };
}

function sheet(size: Readonly<{ width: number; height: number }>, pixelRatio: number): { label: Label; ctx: Ctx } {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.ceil(size.width * pixelRatio));
  canvas.height = Math.max(1, Math.ceil(size.height * pixelRatio));
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('this browser has no 2D canvas');
  ctx.scale(pixelRatio, pixelRatio);
  ctx.textBaseline = 'middle';
  return { label: { canvas, width: canvas.width / pixelRatio, height: canvas.height / pixelRatio }, ctx };
}

const TONES = {
  plain: { back: 'rgba(22,28,36,0.74)', text: '#ffffff', mark: '#6fdc9c' },
  asleep: { back: 'rgba(44,48,82,0.78)', text: '#dfe2ff', mark: '#aeb6ff' },
  offline: { back: 'rgba(60,60,64,0.6)', text: '#e4e4e4', mark: '#c9c9c9' },
} as const;
const CHOSEN = {
  back: '#fffdf6',
  text: '#1c2a25',
  marks: { plain: '#1f8a5f', asleep: '#5a63c9', offline: '#777777' },
} as const;

/** A label whose mark shows the state by shape as well as colour: disc, moon, ring. */
function paintName(spec: LabelSpec & { kind: 'name' }, pixelRatio: number): Label {
  const font = `700 12px ${FAMILY}`;
  const text = ellipsis(spec.text, 140, measure(font));
  const width = measure(font)(text) + 26;
  const { label, ctx } = sheet({ width, height: 20 }, pixelRatio);
  const tone = spec.selected
    ? { back: CHOSEN.back, text: CHOSEN.text, mark: CHOSEN.marks[spec.tone] }
    : TONES[spec.tone];
  ctx.fillStyle = tone.back;
  ctx.beginPath();
  ctx.roundRect(0.5, 0.5, width - 1, 18, 9);
  ctx.fill();
  ctx.fillStyle = tone.mark;
  ctx.strokeStyle = tone.mark;
  ctx.lineWidth = 1.6;
  ctx.beginPath();
  if (spec.tone === 'asleep') {
    ctx.arc(10.5, 9.5, 3.8, -0.6, Math.PI * 1.1);
    ctx.quadraticCurveTo(11, 10, 13.6, 7.3);
    ctx.fill();
  } else {
    ctx.arc(10.5, 9.5, 3.1, 0, Math.PI * 2);
    if (spec.tone === 'offline') ctx.stroke();
    else ctx.fill();
  }
  ctx.font = font;
  ctx.fillStyle = tone.text;
  ctx.fillText(text, 18, 10);
  return label;
}

function paintBubble(spec: LabelSpec & { kind: 'bubble' }, pixelRatio: number): Label {
  const font = `600 13px ${FAMILY}`;
  const lines = wrapText(spec.text, { maxWidth: BUBBLE_TEXT_PX, maxLines: 2 }, measure(font));
  const width = Math.max(...lines.map(measure(font)), 20) + 24;
  const height = lines.length * 17 + 14;
  const { label, ctx } = sheet({ width: width + 4, height: height + 10 }, pixelRatio);
  ctx.shadowColor = 'rgba(10,20,30,0.3)';
  ctx.shadowBlur = 4 * pixelRatio;
  ctx.shadowOffsetY = pixelRatio;
  ctx.fillStyle = spec.crowd ? '#fff3d6' : '#fffef9';
  ctx.beginPath();
  ctx.roundRect(2, 1, width, height, 12);
  ctx.moveTo(width / 2 - 5, height);
  ctx.lineTo(width / 2 + 2, height + 7);
  ctx.lineTo(width / 2 + 9, height);
  ctx.fill();
  ctx.shadowColor = 'transparent';
  ctx.font = font;
  ctx.fillStyle = '#24303a';
  for (const [index, line] of lines.entries()) ctx.fillText(line, 14, 16.5 + index * 17);
  return label;
}

const LANDMARK_COLOUR: Readonly<Record<string, string>> = {
  home: '#b56a4c',
  cafe: '#a4683c',
  market: '#c4574a',
  board: '#3c7a68',
  workshop: '#6b6f80',
  library: '#5a68a8',
  garden: '#5d9142',
  pond: '#3f8cb3',
  forest: '#4a7f4c',
  square: '#8a7a5c',
  hall: '#8a5a8f',
  bakery: '#c08a3e',
  orchard: '#b9503f',
  dock: '#3a7d94',
  hill: '#7c8a4a',
  observatory: '#4f5596',
  waypoint: '#7d7767',
};

function paintLandmark(spec: LabelSpec & { kind: 'landmark' }, pixelRatio: number): Label {
  const font = `800 12px ${FAMILY}`;
  const text = spec.labelled ? spec.text : '';
  const width = text === '' ? 26 : measure(font)(text) + 38;
  const { label, ctx } = sheet({ width: width + 2, height: 28 }, pixelRatio);
  ctx.shadowColor = 'rgba(10,20,20,0.35)';
  ctx.shadowBlur = 3 * pixelRatio;
  ctx.fillStyle = 'rgba(255,252,243,0.94)';
  ctx.beginPath();
  ctx.roundRect(1.5, 1.5, width - 1, 24, 12);
  ctx.fill();
  ctx.shadowColor = 'transparent';
  ctx.fillStyle = LANDMARK_COLOUR[spec.icon] ?? '#7d7767';
  ctx.beginPath();
  ctx.arc(13.5, 13.5, 10, 0, Math.PI * 2);
  ctx.fill();
  ctx.font = font;
  ctx.fillStyle = '#2c2f28';
  ctx.fillText(text, 28, 14);
  ctx.translate(6.7, 6.7);
  ctx.scale(13.6 / 24, 13.6 / 24);
  ctx.lineWidth = 2.3;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.strokeStyle = '#ffffff';
  ctx.stroke(new Path2D(ICON_PATHS[iconOr(spec.icon, 'waypoint')]));
  return label;
}

function paintZone(spec: LabelSpec & { kind: 'zone' }, pixelRatio: number): Label {
  const font = `800 13px ${FAMILY}`;
  const text = [...spec.text.toUpperCase()].join('\u200a');
  const width = measure(font)(text) + 8;
  const { label, ctx } = sheet({ width, height: 22 }, pixelRatio);
  ctx.font = font;
  ctx.lineWidth = 3.5;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = 'rgba(34,56,34,0.55)';
  ctx.strokeText(text, 4, 11);
  ctx.fillStyle = 'rgba(255,255,255,0.95)';
  ctx.fillText(text, 4, 11);
  return label;
}

function paintCluster(spec: LabelSpec & { kind: 'cluster' }, pixelRatio: number): Label {
  const side = spec.radius * 2 + 4;
  const { label, ctx } = sheet({ width: side, height: side }, pixelRatio);
  ctx.fillStyle = 'rgba(31,122,92,0.9)';
  ctx.strokeStyle = '#ffffff';
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(side / 2, side / 2, spec.radius, 0, Math.PI * 2);
  ctx.fill();
  ctx.stroke();
  ctx.font = `800 12px ${FAMILY}`;
  ctx.textAlign = 'center';
  ctx.fillStyle = '#ffffff';
  ctx.fillText(String(spec.count), side / 2, side / 2 + 1);
  return label;
}

const PIN_TONES = {
  plain: { note: '#fff6cf', ink: '#6b5414' },
  chosen: { note: '#1b7a56', ink: '#ffffff' },
  draft: { note: '#ffffff', ink: '#1b7a56' },
} as const;

/** A note with a tip at its lower edge, and the number of posts if there are several. */
function paintPin(spec: LabelSpec & { kind: 'pin' }, pixelRatio: number): Label {
  const { label, ctx } = sheet({ width: 36, height: 38 }, pixelRatio);
  const { note, ink } = PIN_TONES[spec.tone];
  ctx.shadowColor = 'rgba(10,20,20,0.4)';
  ctx.shadowBlur = 3 * pixelRatio;
  ctx.fillStyle = note;
  ctx.beginPath();
  ctx.roundRect(5, 3, 26, 24, 7);
  ctx.moveTo(13, 26);
  ctx.lineTo(18, 36);
  ctx.lineTo(23, 26);
  ctx.fill();
  ctx.shadowColor = 'transparent';
  ctx.strokeStyle = ink;
  ctx.fillStyle = ink;
  if (spec.tone === 'draft') {
    ctx.lineWidth = 2;
    ctx.setLineDash([4, 3]);
    ctx.beginPath();
    ctx.roundRect(6, 4, 24, 22, 6);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  if (spec.count > 1) {
    ctx.font = `800 13px ${FAMILY}`;
    ctx.textAlign = 'center';
    ctx.fillText(String(spec.count), 18, 15.5);
    return label;
  }
  ctx.translate(10, 7);
  ctx.scale(16 / 24, 16 / 24);
  ctx.lineWidth = 2.4;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.stroke(new Path2D(ICON_PATHS.speech));
  return label;
}
