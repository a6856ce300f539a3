import { Container, Sprite, type Texture } from 'pixi.js';

/** The look of a pooled sprite. `anchor` is the point of the texture that lies at `x`,`y`. */
export interface SpriteLook {
  readonly texture: Texture;
  readonly x: number;
  readonly y: number;
  readonly anchorX: number;
  readonly anchorY: number;
  readonly width?: number;
  readonly height?: number;
  readonly alpha?: number;
  readonly tint?: number;
}

/** Reuses the same sprites every frame, in the order of drawing, so that a frame allocates nothing on the graphics card. */
export class SpritePool {
  readonly container = new Container();
  readonly #sprites: Sprite[] = [];
  #used = 0;

  begin(): void {
    this.#used = 0;
  }

  add(look: SpriteLook): void {
    const sprite = this.#sprites[this.#used] ?? this.#grow();
    this.#used += 1;
    if (sprite.texture !== look.texture) sprite.texture = look.texture;
    if (!sprite.visible) sprite.visible = true;
    sprite.anchor.set(look.anchorX, look.anchorY);
    sprite.position.set(look.x, look.y);
    if (look.width === undefined || look.height === undefined) sprite.scale.set(1);
    else sprite.scale.set(look.width / look.texture.width, look.height / look.texture.height);
    sprite.alpha = look.alpha ?? 1;
    sprite.tint = look.tint ?? 0xffffff;
  }

  /** Ends a frame and hides the unused sprites. */
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
