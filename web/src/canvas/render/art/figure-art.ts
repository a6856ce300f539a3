import { hash2 } from '../../model/noise.ts';
import type { Facing } from '@hamlet/core';
import { type Box, fillBox, fillEllipse } from './shapes.ts';

interface Look {
  readonly shirt: string;
  readonly shirtDark: string;
  readonly trousers: string;
  readonly hair: string;
  readonly skin: string;
  readonly long: boolean;
  readonly hat: boolean;
}

const SKINS = ['#f6d3b3', '#e9b98e', '#c98f63', '#9b6640', '#74492d'] as const;
const HAIRS = ['#3a2a22', '#6b4128', '#a8652e', '#d9a84e', '#8d8d93', '#1f2430', '#b5523b', '#efe6d8'] as const;
const TROUSERS = ['#46536b', '#5b4a3e', '#3f5a50', '#6a5a78'] as const;

/** The look for a number. Neighbouring numbers have clearly different shirts. */
export function lookOf(index: number): Look {
  const hue = (index * 137.508) % 360;
  const pick = (list: readonly string[], salt: number): string =>
    list[Math.floor(hash2(index, salt, 7) * list.length)] ?? '#888888';
  return {
    shirt: `hsl(${hue} 62% 57%)`,
    shirtDark: `hsl(${hue} 55% 44%)`,
    trousers: pick(TROUSERS, 1),
    hair: pick(HAIRS, 2),
    skin: pick(SKINS, 3),
    long: hash2(index, 4, 7) < 0.45,
    hat: hash2(index, 5, 7) < 0.16,
  };
}

/** A pose in the atlas: three steps in four directions, and one asleep. */
export type Pose = { readonly facing: Facing; readonly step: 0 | 1 | 2 } | 'asleep';

const OUTLINE = 'rgba(48,34,30,0.75)';
const SHEEN = 'rgba(255,255,255,0.22)';
const EYE = '#2d2523';

/** Draws one figure into a cell of 1 × 1; its feet are at 0.5, 0.92. */
export function paintFigure(ctx: CanvasRenderingContext2D, look: Look, pose: Pose): void {
  ctx.lineJoin = 'round';
  ctx.lineCap = 'round';
  ctx.lineWidth = 0.028;
  ctx.strokeStyle = OUTLINE;
  if (pose === 'asleep') {
    paintAsleep(ctx, look);
    return;
  }
  fillEllipse(ctx, 'rgba(30,34,28,0.28)', [0.5, 0.92, 0.22, 0.07]);
  const bob = pose.step === 0 ? 0 : -0.02;
  paintLegs(ctx, look, pose);
  ctx.save();
  ctx.translate(0, bob);
  paintBody(ctx, look, pose);
  paintHead(ctx, look, pose.facing);
  ctx.restore();
}

function round(ctx: CanvasRenderingContext2D, colour: string, shape: readonly [...Box, radius: number]): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(...shape);
  ctx.stroke();
  ctx.fill();
}

function paintLegs(ctx: CanvasRenderingContext2D, look: Look, pose: Readonly<{ facing: Facing; step: number }>): void {
  const swing = pose.step === 0 ? 0 : pose.step === 1 ? 1 : -1;
  const sideways = pose.facing === 'east' || pose.facing === 'west';
  for (const leg of [-1, 1]) {
    const ahead = swing * leg;
    const x = sideways ? 0.455 + ahead * 0.075 : 0.455 + leg * 0.065;
    const length = sideways ? 0.19 : 0.19 - (ahead > 0 ? 0.05 : 0);
    round(ctx, look.trousers, [x, 0.72, 0.09, length - 0.02, 0.035]);
    round(ctx, '#3c2c26', [x - 0.005, 0.72 + length - 0.05, 0.1, 0.055, 0.025]);
  }
}

function paintBody(ctx: CanvasRenderingContext2D, look: Look, pose: Readonly<{ facing: Facing; step: number }>): void {
  const swing = pose.step === 0 ? 0 : pose.step === 1 ? 0.03 : -0.03;
  const sideways = pose.facing === 'east' || pose.facing === 'west';
  if (sideways) paintSide(ctx, look, swing * 1.6);
  else paintFront(ctx, look, swing);
}

function paintSide(ctx: CanvasRenderingContext2D, look: Look, reach: number): void {
  round(ctx, look.shirt, [0.39, 0.5, 0.22, 0.28, 0.09]);
  fillBox(ctx, SHEEN, [0.41, 0.56, 0.04, 0.15]);
  round(ctx, look.shirtDark, [0.455 + reach, 0.55, 0.09, 0.18, 0.045]);
  fillEllipse(ctx, look.skin, [0.5 + reach, 0.735, 0.04, 0.04]);
}

function paintFront(ctx: CanvasRenderingContext2D, look: Look, swing: number): void {
  round(ctx, look.shirtDark, [0.305, 0.54 - swing, 0.09, 0.19, 0.045]);
  round(ctx, look.shirtDark, [0.605, 0.54 + swing, 0.09, 0.19, 0.045]);
  round(ctx, look.shirt, [0.36, 0.5, 0.28, 0.28, 0.09]);
  fillBox(ctx, SHEEN, [0.385, 0.56, 0.04, 0.15]);
  fillEllipse(ctx, look.skin, [0.35, 0.735 - swing, 0.04, 0.04]);
  fillEllipse(ctx, look.skin, [0.65, 0.735 + swing, 0.04, 0.04]);
}

function paintHead(ctx: CanvasRenderingContext2D, look: Look, facing: Facing): void {
  const turn = facing === 'east' ? 1 : facing === 'west' ? -1 : 0;
  if (look.long && facing !== 'north') {
    round(ctx, look.hair, [0.3 - turn * 0.04, 0.27, 0.4, 0.31, 0.16]);
  }
  ctx.fillStyle = look.skin;
  ctx.beginPath();
  ctx.ellipse(0.5, 0.345, 0.195, 0.19, 0, 0, Math.PI * 2);
  ctx.stroke();
  ctx.fill();
  paintHair(ctx, look, facing);
  if (facing !== 'north') paintFace(ctx, look, turn);
  if (look.hat) paintHat(ctx, look);
}

function paintHair(ctx: CanvasRenderingContext2D, look: Look, facing: Facing): void {
  ctx.fillStyle = look.hair;
  ctx.beginPath();
  if (facing === 'north') ctx.ellipse(0.5, 0.335, 0.205, look.long ? 0.25 : 0.2, 0, 0, Math.PI * 2);
  else if (facing === 'south') {
    ctx.ellipse(0.5, 0.32, 0.21, 0.195, 0, Math.PI * 0.98, Math.PI * 2.02);
    ctx.quadraticCurveTo(0.62, 0.26, 0.5, 0.265);
    ctx.quadraticCurveTo(0.38, 0.255, 0.3, 0.33);
  } else {
    const front = facing === 'east' ? 1 : -1;
    ctx.ellipse(0.5, 0.325, 0.21, 0.2, 0, Math.PI, Math.PI * 2);
    ctx.lineTo(0.5 + front * 0.1, 0.27);
    ctx.quadraticCurveTo(0.5, 0.26, 0.5 - front * 0.02, 0.42);
    ctx.lineTo(0.5 - front * 0.18, 0.46);
    ctx.lineTo(0.5 - front * 0.21, 0.325);
  }
  ctx.closePath();
  ctx.stroke();
  ctx.fill();
  fillEllipse(ctx, 'rgba(255,255,255,0.16)', [0.44, 0.21, 0.07, 0.03]);
}

function paintFace(ctx: CanvasRenderingContext2D, look: Look, turn: number): void {
  const eyes = turn === 0 ? [0.43, 0.57] : [0.5 + turn * 0.11];
  for (const x of eyes) fillEllipse(ctx, EYE, [x, 0.375, 0.021, 0.03]);
  const cheeks = turn === 0 ? [0.385, 0.615] : [0.5 + turn * 0.07];
  for (const x of cheeks) fillEllipse(ctx, 'rgba(226,110,98,0.4)', [x, 0.43, 0.032, 0.02]);
  if (turn === 0) return;
  fillEllipse(ctx, look.skin, [0.5 + turn * 0.195, 0.395, 0.028, 0.024]);
}

function paintHat(ctx: CanvasRenderingContext2D, look: Look): void {
  round(ctx, look.shirtDark, [0.36, 0.09, 0.28, 0.14, 0.08]);
  round(ctx, look.shirt, [0.27, 0.2, 0.46, 0.065, 0.032]);
}

function paintAsleep(ctx: CanvasRenderingContext2D, look: Look): void {
  fillEllipse(ctx, 'rgba(30,34,28,0.25)', [0.5, 0.9, 0.36, 0.08]);
  round(ctx, '#fbf6ec', [0.1, 0.62, 0.3, 0.26, 0.09]);
  ctx.fillStyle = look.skin;
  ctx.beginPath();
  ctx.ellipse(0.29, 0.72, 0.155, 0.15, 0, 0, Math.PI * 2);
  ctx.stroke();
  ctx.fill();
  ctx.fillStyle = look.hair;
  ctx.beginPath();
  ctx.ellipse(0.285, 0.71, 0.165, 0.155, -0.35, Math.PI * 0.72, Math.PI * 1.72);
  ctx.closePath();
  ctx.stroke();
  ctx.fill();
  ctx.beginPath();
  ctx.moveTo(0.315, 0.745);
  ctx.quadraticCurveTo(0.345, 0.765, 0.375, 0.745);
  ctx.stroke();
  round(ctx, look.shirt, [0.38, 0.64, 0.52, 0.26, 0.1]);
  round(ctx, look.shirtDark, [0.38, 0.64, 0.09, 0.26, 0.04]);
}
