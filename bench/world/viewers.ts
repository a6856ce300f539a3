/**
 * All viewers of a run, in a separate process so that the server's CPU time does not include their work. Started by
 * main.ts.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WorldMap } from '@hamlet/core';
import { WebSocket } from 'ws';
import { benchMap } from './bench-map.ts';
import { Camera } from './camera.ts';
import { answerGreeting, reserveSeat } from './colyseus/colyseus-join.ts';
import { compare } from './fidelity.ts';
import { HamletViewer } from './hamlet-viewer.ts';
import { wallMs, type FromViewers, type ServerKind, type ToViewers } from './ipc.ts';
import type { Setting } from './setting.ts';

const PAN_EVERY_MS = 250;
const TRUTH_WAIT_MS = 1000;

/** One viewer's socket, its view, and the updates that it received. */
interface Viewer {
  readonly socket: WebSocket;
  readonly wire: () => number;
  readonly pans: boolean;
  readonly camera: Camera;
  readonly hamlet: HamletViewer | null;
  bytesAtStart: number;
}

const send = (message: FromViewers): void => {
  process.send?.(message);
};

/** Sends the viewer's view to our server. The peer's server moves the same cameras itself, without messages. */
function look(viewer: Viewer, setting: Setting): void {
  const { x, y } = viewer.camera;
  const view = { type: 'view', x, y, width: setting.viewSide, height: setting.viewSide, zoom: 'near', pinned: [] };
  if (viewer.hamlet !== null) viewer.socket.send(JSON.stringify(view));
}

interface Opening {
  readonly kind: ServerKind;
  readonly url: string;
  readonly setting: Setting;
  readonly map: WorldMap;
  readonly received: (tick: number) => void;
}

async function open(opening: Opening, index: number): Promise<Viewer> {
  const { kind, setting } = opening;
  const hamlet = kind === 'hamlet' ? new HamletViewer(opening.map) : null;
  const address =
    hamlet === null ? await reserveSeat(opening.url, index) : `${opening.url.replace('http', 'ws')}/ws/world`;
  const socket = new WebSocket(address, { perMessageDeflate: false });
  let tcp: Socket | null = null;
  socket.on('upgrade', (response: IncomingMessage) => {
    tcp = response.socket;
  });
  socket.on('error', (error) => {
    throw error;
  });
  socket.on('message', (data: Buffer) => {
    if (hamlet === null) answerGreeting(socket, data);
    opening.received(hamlet === null ? -1 : hamlet.take(data));
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const wire = (): number => tcp?.bytesRead ?? 0;
  const viewer = {
    socket,
    wire,
    pans: index < setting.panning,
    camera: new Camera(setting, index),
    hamlet,
    bytesAtStart: 0,
  };
  look(viewer, setting);
  return viewer;
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

async function main(): Promise<void> {
  const [kind, url, json] = process.argv.slice(2) as [ServerKind, string, string];
  const setting = JSON.parse(json) as Setting;
  const map = benchMap(setting.mapSide);
  let receipts: [number, number][] = [];
  const received = (tick: number): void => {
    receipts.push([tick, wallMs()]);
  };
  const viewers: Viewer[] = [];
  for (let index = 0; index < setting.viewers; index += 1)
    viewers.push(await open({ kind, url, setting, map, received }, index));
  setInterval(() => {
    for (const viewer of viewers) {
      if (!viewer.pans) continue;
      viewer.camera.slide((setting.panTilesPerSecond * PAN_EVERY_MS) / 1000);
      look(viewer, setting);
    }
  }, PAN_EVERY_MS);
  let startMs = wallMs();
  process.on('message', (message: ToViewers) => {
    if (message.type === 'remember') HamletViewer.remembers = true;
    else if (message.type === 'measure') {
      receipts = [];
      startMs = wallMs();
      for (const viewer of viewers) viewer.bytesAtStart = viewer.wire();
    } else if (message.type === 'report') {
      const bytes = (pans: boolean): number =>
        mean(viewers.filter((viewer) => viewer.pans === pans).map((viewer) => viewer.wire() - viewer.bytesAtStart));
      send({
        type: 'report',
        seconds: (wallMs() - startMs) / 1000,
        stillBytes: bytes(false),
        panningBytes: bytes(true),
        receipts,
      });
    } else {
      // Later updates may still be on the way to slower sockets; the truth is stored by tick.
      setTimeout(
        () =>
          send({
            type: 'fidelity',
            ...compare(
              viewers.flatMap(({ hamlet }) => hamlet ?? []),
              message,
            ),
          }),
        TRUTH_WAIT_MS,
      );
    }
  });
  send({ type: 'ready' });
}

await main();
