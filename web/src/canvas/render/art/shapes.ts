type Ctx = CanvasRenderingContext2D;
export type Box = readonly [x: number, y: number, width: number, height: number];

export function fillBox(ctx: Ctx, colour: string | CanvasGradient, box: Box): void {
  ctx.fillStyle = colour;
  ctx.fillRect(...box);
}

/** Fills a disc; without a colour, in the current fill style. */
export function disc(ctx: Ctx, at: Readonly<{ x: number; y: number; radius: number; colour?: string }>): void {
  if (at.colour !== undefined) ctx.fillStyle = at.colour;
  ctx.beginPath();
  ctx.arc(at.x, at.y, at.radius, 0, Math.PI * 2);
  ctx.fill();
}

/** An ellipse: its middle, half its width and height, and its tilt in radians. */
type Oval = readonly [x: number, y: number, halfWidth: number, halfHeight: number, tilt?: number];

export function fillEllipse(ctx: Ctx, colour: string, [x, y, halfWidth, halfHeight, tilt = 0]: Oval): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.ellipse(x, y, halfWidth, halfHeight, tilt, 0, Math.PI * 2);
  ctx.fill();
}
