/** A badge: the path of its icon, and whether its agent needs a person, which gives it another colour. */
export interface Badge {
  readonly path: string;
  readonly calls: boolean;
}

const INK = '#2f3d52';
const PAPER = '#fffdf7';
const CALLING_PAPER = '#ffd98a';
const ICON_PX = 24;
const SWAY = 0.16;

/** Draws a badge into a cell of 1 × 1; `step` is one of the two pictures of its motion. */
export function paintHandsBadge(ctx: CanvasRenderingContext2D, { path, calls }: Badge, step: 0 | 1): void {
  ctx.fillStyle = calls ? CALLING_PAPER : PAPER;
  ctx.strokeStyle = 'rgba(40,34,30,0.7)';
  ctx.lineWidth = 0.04;
  ctx.beginPath();
  ctx.arc(0.5, 0.5, 0.44, 0, Math.PI * 2);
  ctx.fill();
  ctx.stroke();
  ctx.save();
  ctx.translate(0.5, 0.5 - step * 0.03);
  ctx.rotate(step === 0 ? -SWAY / 2 : SWAY / 2);
  ctx.scale(0.56 / ICON_PX, 0.56 / ICON_PX);
  ctx.translate(-ICON_PX / 2, -ICON_PX / 2);
  ctx.lineWidth = 2.3;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.strokeStyle = INK;
  ctx.stroke(new Path2D(path));
  ctx.restore();
}
