import { useEffect, useRef } from 'react';
import { lookOf, paintFigure } from '../canvas/render/art/figure-art.ts';
import { LOOKS } from '../canvas/model/draw-list.ts';
import { hashText } from '../canvas/model/noise.ts';

export function Avatar({ id, size = 36, dimmed = false }: Readonly<{ id: string; size?: number; dimmed?: boolean }>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const ctx = canvas.current?.getContext('2d');
    if (ctx === null || ctx === undefined) return;
    const pixels = size * 2;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, pixels, pixels);
    // Shows head and shoulders, which are in the upper middle of the cell, at 1.7 times the size.
    ctx.scale(pixels * 1.7, pixels * 1.7);
    ctx.translate(-0.206, -0.1);
    paintFigure(ctx, lookOf(hashText(id, LOOKS)), { facing: 'south', step: 0 });
  }, [id, size]);
  return (
    <canvas
      ref={canvas}
      className={`avatar${dimmed ? ' avatar-dimmed' : ''}`}
      width={size * 2}
      height={size * 2}
      style={{ width: size, height: size }}
      aria-hidden="true"
    />
  );
}
