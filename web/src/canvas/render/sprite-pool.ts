import { Container, Sprite, type Texture } from 'pixi.js';
import type { Point } from '../model/camera.ts';

/** The look of a pooled sprite. `anchor` is the point of the texture that lies at `at`; the default is its middle. */
interface SpriteLook {
  readonly texture: Texture;
  readonly at: Point;
  readonly anchor?: readonly [x: number, y: number];
  /** Width and height; without it, the sprite is as large as its texture. */
  readonly size?: number;
  readonly alpha?: number;
  readonly tint?: number;
}

const MIDDLE = [0.5, 0.5] as const;

/**
 * Reuses the same sprites in every frame, in drawing order, so that a frame allocates nothing on the graphics card.
 * With `ownDrawCalls` the pool has a separate list of draw calls: a new order of many sprites changes no other list,
 * and keeps this list as long as the textures stay the same.
 */
export class SpritePool {
  readonly container: Container;
  readonly #sprites: Sprite[] = [];
  #used = 0;

  constructor({ ownDrawCalls = false } = {}) {
    this.container = new Container({ isRenderGroup: ownDrawCalls });
  }

  begin(): void {
    this.#used = 0;
  }

  add({ texture, at, anchor = MIDDLE, size, alpha = 1, tint = 0xffffff }: SpriteLook): void {
    const sprite = this.#sprites[this.#used] ?? this.#grow();
    this.#used += 1;
    if (sprite.texture !== texture) sprite.texture = texture;
    if (!sprite.visible) sprite.visible = true;
    sprite.anchor.set(anchor[0], anchor[1]);
    sprite.position.set(at.x, at.y);
    if (size === undefined) sprite.scale.set(1);
    else sprite.scale.set(size / texture.width, size / texture.height);
    sprite.alpha = alpha;
    // Pixi converts a colour before it compares it with the present one.
    if (sprite.tint !== tint) sprite.tint = tint;
  }

  end(): void {
    for (let index = this.#used; index < this.#sprites.length; index++) {
      const sprite = this.#sprites[index];
      if (sprite === undefined || !sprite.visible) break;
      sprite.visible = false;
    }
  }

  #grow(): Sprite {
    const sprite = new Sprite();
    this.#sprites.push(sprite);
    this.container.addChild(sprite);
    return sprite;
  }
}
