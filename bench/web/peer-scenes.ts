import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { TestBrowser } from '@hamlet/test/env/browser';
import { peerPackages } from '../peer-packages.ts';

const PEERS_MB = 150;

/** A canvas with as many sprites as our map has agents, which walk at its pace; nothing else. */
interface Scene {
  readonly script: string;
  /** Code that draws `count` sprites in a window of `width` by `height`. */
  readonly start: string;
}

/** Paints the picture of the sprites, and moves a sprite: along a line, back at its ends. */
const WALKERS = `
const painted = document.createElement('canvas');
painted.width = painted.height = 32;
const brush = painted.getContext('2d');
brush.fillStyle = '#c46a52';
brush.fillRect(8, 4, 16, 26);
const placeOf = (index, nowMs) => {
  const along = (nowMs / 1000 * 34 + index * 37) % (2 * width);
  return { x: along < width ? along : 2 * width - along, y: (index * 61) % height };
};`;

const PIXI = `
const app = new PIXI.Application();
app.init({ width, height, preference: 'webgl' }).then(() => {
  document.body.append(app.canvas);
  const texture = PIXI.Texture.from(painted);
  const sprites = Array.from({ length: count }, () => app.stage.addChild(new PIXI.Sprite(texture)));
  app.ticker.add(() => {
    const nowMs = performance.now();
    sprites.forEach((sprite, index) => { const { x, y } = placeOf(index, nowMs); sprite.position.set(x, y); });
  });
});`;

const PHASER = `
const sprites = [];
new Phaser.Game({ type: Phaser.WEBGL, width, height, banner: false, audio: { noAudio: true }, scene: {
  create() {
    this.textures.addCanvas('walker', painted);
    for (let index = 0; index < count; index += 1) sprites.push(this.add.image(0, 0, 'walker'));
  },
  update(nowMs) {
    sprites.forEach((sprite, index) => { const { x, y } = placeOf(index, nowMs); sprite.setPosition(x, y); });
  },
} });`;

/** The scenes of the peers by their names. */
export async function peerScenes(): Promise<Readonly<Record<string, Scene>>> {
  const phaser = await peerPackages('web', PEERS_MB);
  const pixi = createRequire(join(import.meta.dirname, '../../web/package.json')).resolve('pixi.js');
  return {
    pixi: { script: join(pixi, '../../dist/pixi.min.js'), start: PIXI },
    phaser: { script: join(phaser, 'node_modules/phaser/dist/phaser.min.js'), start: PHASER },
  };
}

export async function openScene(
  { page }: TestBrowser,
  scene: Scene,
  size: Readonly<Record<'count' | 'width' | 'height', number>>,
): Promise<void> {
  await page.goto('about:blank');
  await page.addScriptTag({ path: scene.script });
  const sizes = Object.entries(size).map(([name, value]) => `const ${name} = ${value};`);
  await page.evaluate(`(() => { ${sizes.join(' ')} ${WALKERS} ${scene.start} })()`);
}
