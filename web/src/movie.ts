// SPDX-License-Identifier: Apache-2.0
// A recorded motion that plays by itself: the stage of the page, frames from the file that this script stands in, no
// server (World.movie in python/pliant/worlds.py writes the file).

import { link } from './early';
import { Block, Channel, Format, Kind, Message, SCENE_BODY } from './protocol/binary';
import type { SceneMessage } from './protocol/types';
import { Stage } from './scene3d/stage';
import { Store } from './store';

interface Surface {
  name: string;
  method: string;
  vertices: number;
  triangles: number;
  /** Of a cloud of points, m; 0: it has a surface. */
  spacing: number;
  /** The colliders, not a body. */
  around: boolean;
}

interface Movie {
  name: string;
  methods: string[];
  ground: number | null;
  /** Frames a second. */
  rate: number;
  frames: number;
  surfaces: Surface[];
  /** Deflated, base64: of each surface its places at rest (float32) and triangles (uint32); then of each frame and surface
   * its box (6 float32) and its places in it (uint16, padded to 4 bytes). */
  data: string;
}

async function inflate(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}

/** The frames as the server would send them. */
class Reel {
  readonly model: Message;
  private readonly start: number;
  private readonly stride: number;

  constructor(private readonly movie: Movie, private readonly buffer: ArrayBuffer) {
    let at = 0;
    const blocks: Block[] = [];
    const take = (body: number, channel: Channel, format: Format, count: number) => {
      const data = format === Format.F32x3 ? new Float32Array(buffer, at, count * 3) : new Uint32Array(buffer, at, count * 3);
      blocks.push({ body, channel, format, count, lo: [0, 0, 0], hi: [0, 0, 0], data });
      at += data.byteLength;
    };
    movie.surfaces.forEach((s, k) => {
      take(this.number(k), Channel.Surface, Format.F32x3, s.vertices);
      take(this.number(k), Channel.Triangles, Format.U32x3, s.triangles);
    });
    this.model = this.message(Kind.Model, 0, blocks);
    this.start = at;
    this.stride = movie.surfaces.reduce((sum, s) => sum + this.bytes(s), 0);
  }

  frame(index: number): Message {
    let at = this.start + index * this.stride;
    return this.message(Kind.Frame, index, this.movie.surfaces.map((s, k) => {
      const box = new Float32Array(this.buffer, at, 6);
      const block: Block = {
        body: this.number(k), channel: Channel.Surface, format: Format.U16x3, count: s.vertices,
        lo: [box[0], box[1], box[2]], hi: [box[3], box[4], box[5]], data: new Uint16Array(this.buffer, at + 24, s.vertices * 3),
      };
      at += this.bytes(s);
      return block;
    }));
  }

  private number(surface: number): number {
    return this.movie.surfaces[surface].around ? SCENE_BODY : surface;
  }

  private bytes(s: Surface): number {
    return 24 + Math.ceil((s.vertices * 6) / 4) * 4;
  }

  private message(kind: Kind, index: number, blocks: Block[]): Message {
    return { kind, flags: 0, seq: index, epoch: 1, step: index, applied: 0, time: index / this.movie.rate, stepMs: 0, rate: 0, blocks };
  }
}

function sceneOf(movie: Movie): SceneMessage {
  const bodies = movie.surfaces.flatMap((s, id) => s.around ? [] : [{
    id, name: s.name, method: s.method, vertices: s.vertices, nodes: 0, point_spacing: s.spacing,
  }]);
  return {
    type: 'scene', epoch: 1, name: movie.name, bodies, options: [], history: { undo: 0, redo: 0 }, ground: movie.ground,
    transport: { playing: true, speed: 1, posing: false, recording: false },
  };
}

/** Drag turns, with Shift moves, the wheel zooms. */
function steer(view: HTMLElement, stage: Stage): void {
  view.addEventListener('pointerdown', (e) => view.setPointerCapture(e.pointerId));
  view.addEventListener('pointermove', (e) => {
    if (!view.hasPointerCapture(e.pointerId)) return;
    if (e.shiftKey) stage.camera.pan(e.movementX, e.movementY, stage.height);
    else stage.camera.orbit(e.movementX, e.movementY, stage.height);
    stage.requestDraw();
  });
  view.addEventListener('wheel', (e) => {
    e.preventDefault();
    stage.camera.zoom(Math.exp(e.deltaY * 0.0012));
    stage.requestDraw();
  }, { passive: false });
}

async function play(movie: Movie): Promise<void> {
  const view = document.getElementById('view')!, button = document.getElementById('play') as HTMLButtonElement,
    slider = document.getElementById('at') as HTMLInputElement;
  const reel = new Reel(movie, await inflate(movie.data));
  const store = new Store(link);
  store.methods = movie.methods;
  store.scene = sceneOf(movie);
  const stage = new Stage(view, store, false);
  if (stage.missing) view.textContent = 'This browser has no WebGL 2.';
  stage.setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  stage.setModel(reel.model);
  let shown = -1, playing = true, from = performance.now();
  const show = (index: number) => {
    if (index === shown) return;
    shown = index;
    slider.value = String(index);
    document.body.dataset.frame = slider.value;
    stage.setFrame(reel.frame(index));
    stage.frameWaits();
  };
  const turn = (on: boolean) => {
    playing = on;
    button.textContent = on ? '❚❚' : '▶';
    from = performance.now() - (shown / movie.rate) * 1000;
  };
  slider.max = String(movie.frames - 1);
  slider.addEventListener('input', () => {
    turn(false);
    show(Number(slider.value));
  });
  button.addEventListener('click', () => turn(!playing));
  steer(view, stage);
  show(0);
  const tick = (now: number) => {
    if (playing) show(Math.max(0, Math.floor(((now - from) / 1000) * movie.rate)) % movie.frames);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

void play(JSON.parse(document.getElementById('movie')!.textContent!) as Movie);
