// SPDX-License-Identifier: Apache-2.0
// The picture: renderer, lights, ground, bodies and their marks. Draws only when asked to: a frame came, the camera
// moved, an overlay changed. The canvas is transparent; the page's gradient is behind it.

import * as THREE from 'three';
import { probe } from '../early';
import { Channel, GrabRow, grabRows, Message, positionsInto, SCENE_BODY } from '../protocol/binary';
import { Signal } from '../signal';
import type { Overlay, Store, Tier } from '../store';
import { BodyView } from './body_view';
import { OrbitCamera } from './camera';
import type { V3 } from './geometry';
import { Ground } from './ground';
import { LookUniforms, methodColour, propMaterial, ThemeName, THEMES, UNIT_RADIUS } from './look';
import { BodyOverlays } from './overlays';

export interface Hit {
  body: number;
  face: number;
  bary: V3;
  point: V3;
  distance: number;
}

export interface Timings {
  decode: number[];
  normals: number[];
  pick: number[];
  draw: number[];
  latency: number[];
}

const KEPT_TIMINGS = 240;
const FENCE_POLL_MS = 8;
/** Chips above and the hint below lie over so much of the picture; room at its sides. */
const COVERED_PX = 46;
const BESIDE_PX = 16;
/** Key, rim and fill, for a scene of UNIT_RADIUS. */
const LIGHTS: V3[] = [[2.6, 5.2, 3.2], [-4, 2.6, -4.5], [-3.5, 1.5, 4.5]];

export class Stage {
  readonly camera = new OrbitCamera();
  readonly bodies = new Map<number, BodyView>();
  readonly overlays = new Map<number, BodyOverlays>();
  readonly drawn = new Signal();
  readonly modelChanged = new Signal();
  readonly tierChanged = new Signal<Tier>();
  /** Of the stretch colours. */
  readonly rangeChanged = new Signal<number>();
  /** Called before each drawing; brings in the newest frame. */
  beforeDraw: () => void = () => undefined;
  readonly timings: Timings = { decode: [], normals: [], pick: [], draw: [], latency: [] };
  /** Grabs of all pages in the newest frame. */
  grabs: GrabRow[] = [];
  draws = 0;
  epoch = 0;
  tier: Tier = 'high';
  software = false;
  readonly missing: boolean;
  /** Objects of tools, drawn on top of everything. */
  readonly gizmos = new THREE.Group();
  center: V3 = [0, 0, 0];
  radius = 1;
  stretchRange = 0;

  private renderer: THREE.WebGLRenderer | null = null;
  private readonly scene = new THREE.Scene();
  private readonly ground = new Ground();
  private readonly rig = new THREE.Group();
  private readonly key = new THREE.DirectionalLight('#fff1e0');
  private readonly rim = new THREE.DirectionalLight('#9cc8ff');
  private readonly fill = new THREE.DirectionalLight('#dfe9ff');
  private readonly sky = new THREE.HemisphereLight('#eaf0ff');
  private readonly uniforms: LookUniforms = {
    uGround: { value: 0 }, uScale: { value: 1 }, uRim: { value: 0.2 }, uLook: { value: 1 },
    uGridStrength: { value: 0.42 }, uSaturation: { value: 1 }, uRange: { value: 0.1 },
    uToLight: { value: LIGHTS.map((l) => new THREE.Vector3(...l).normalize()) }, uLight: { value: LIGHTS.map(() => new THREE.Color()) },
    uSky: { value: new THREE.Color() }, uBelow: { value: new THREE.Color() },
  };
  private props: THREE.Mesh | null = null;
  private theme: ThemeName = 'dark';
  private scheduled = false;
  private drawnEpoch = -1;
  private warm: BodyView | null = null;
  private readonly cooled: BodyView[] = [];
  /** Scene and number of bodies of the model, to tell a new one. */
  private fitted = '';
  private fittedBodies = 0;
  /** What the first frame of the model fits the camera to. */
  private toFit: 'fresh' | 'same' | null = null;
  private sized = '';
  private groundY = 0;
  private groundKnown = false;
  private intervals: number[] = [];
  private lastDraw = 0;
  private tierForced: boolean;

  constructor(private readonly element: HTMLElement, private readonly store: Store, lowq: boolean) {
    const found = probe();
    this.missing = found === null;
    this.software = found?.software === true;
    this.tierForced = lowq;
    this.tier = lowq || this.software ? 'low' : 'high';
    this.scene.add(this.ground.group, this.rig, this.gizmos);
    this.rig.add(this.key, this.rim, this.fill, this.sky, this.key.target, this.rim.target, this.fill.target);
    this.key.shadow.mapSize.set(768, 768);
    this.key.shadow.radius = 15;
    this.key.shadow.blurSamples = 16;
    if (!this.missing) this.makeRenderer();
    this.warmUp();
    new ResizeObserver(() => this.resize()).observe(element);
    store.viewChanged.on(() => this.lookChanged());
    this.lookChanged();
  }

  get canvas(): HTMLCanvasElement | null {
    return this.renderer?.domElement ?? null;
  }

  get ratio(): number {
    return this.tier === 'high' ? Math.min(window.devicePixelRatio, 2) : 1;
  }

  requestDraw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => { if (this.scheduled) this.draw(); });
  }

  /** The first frame of a model is drawn at once: a busy browser may let its next animation frame wait for long. */
  frameWaits(): void {
    if (this.drawnEpoch === this.epoch) this.requestDraw();
    else this.draw();
  }

  setTheme(name: ThemeName): void {
    this.theme = name;
    const t = THEMES[name];
    this.key.intensity = t.key;
    this.rim.intensity = t.rim;
    this.fill.intensity = t.fill;
    this.sky.intensity = t.hemisphere;
    this.sky.groundColor.set(t.below);
    this.uniforms.uRim.value = t.rimTerm;
    [this.key, this.rim, this.fill].forEach((light, i) => this.uniforms.uLight.value[i].copy(light.color).multiplyScalar(light.intensity));
    this.uniforms.uSky.value.copy(this.sky.color).multiplyScalar(t.hemisphere);
    this.uniforms.uBelow.value.copy(this.sky.groundColor).multiplyScalar(t.hemisphere);
    this.ground.setTheme(t);
    if (this.renderer) this.renderer.toneMappingExposure = t.exposure;
    this.paintProps();
    for (const overlay of this.overlays.values()) overlay.setTheme(t);
    this.requestDraw();
  }

  /** Drawn weaker while the picture is not the newest state. */
  setSaturation(value: number): void {
    this.uniforms.uSaturation.value = value;
    this.requestDraw();
  }

  setTier(tier: Tier, byUser: boolean): void {
    if (byUser) this.tierForced = true;
    if (tier === this.tier) return;
    this.tier = tier;
    this.makeRenderer();
    for (const body of this.bodies.values()) body.setTier(tier);
    this.setTheme(this.theme);
    this.tierChanged.emit(tier);
  }

  setModel(m: Message): void {
    for (const [id, body] of this.bodies) {
      this.scene.remove(body.mesh, this.overlays.get(id)!.group);
      body.dispose();
      this.overlays.get(id)!.dispose();
    }
    this.bodies.clear();
    this.overlays.clear();
    this.grabs = [];
    this.epoch = m.epoch;
    const infos = this.store.scene?.bodies ?? [];
    const warm = this.warm;
    this.warm = null;
    for (const block of m.blocks) {
      if (block.channel !== Channel.Surface || block.body === SCENE_BODY) continue;
      const info = infos.find((b) => b.id === block.body);
      const body = new BodyView(block.body, info, m, this.tier, this.uniforms, methodColour(info?.method ?? '', this.store.methods));
      const overlay = new BodyOverlays(body, THEMES[this.theme]);
      this.bodies.set(block.body, body);
      this.overlays.set(block.body, overlay);
      this.scene.add(body.mesh, overlay.group);
    }
    this.setProps(m);
    // A new scene is shown from the first direction, a body more or less from the present one. Asked here, because frames
    // of the model before may still come after the news of the scene.
    const name = this.store.scene?.name ?? '';
    if (this.bodies.size && (this.fitted !== name || this.fittedBodies !== this.bodies.size)) {
      this.toFit = this.fitted !== name ? 'fresh' : 'same';
      this.fitted = name;
      this.fittedBodies = this.bodies.size;
    }
    this.modelChanged.emit();
    // The shaders live as long as somebody uses them: until the first drawing after this.
    if (warm) this.cooled.push(warm);
    // The first pick costs milliseconds until the loop is compiled: not at the user's first touch.
    setTimeout(() => this.pick(-1, -1), 200);
  }

  setFrame(m: Message): boolean {
    if (m.epoch !== this.epoch) return false;
    this.grabs = [];
    for (const block of m.blocks) {
      if (block.channel === Channel.Grabs) this.grabs.push(...grabRows(block));
      else if (block.body === SCENE_BODY) this.moveProps(m);
      else this.bodies.get(block.body)?.take(block);
    }
    if (this.store.look === 'stretch') this.updateRange();
    if (this.toFit) {
      this.arrange();
      this.fit(this.toFit === 'fresh');
      this.toFit = null;
    }
    this.followBodies();
    return true;
  }

  /** Fits the camera to the bodies as they are now, from the present direction or from the first one. */
  fit(fresh: boolean): void {
    if (!this.bodies.size) return;
    const { lo, centre, radius } = this.extent();
    const points: number[] = [];
    for (const body of this.bodies.values()) for (const v of body.positions) points.push(v);
    // Room for the fall: a body well above its floor is shown with the place where it will lie.
    const gap = lo.y - this.groundY;
    let reach = radius;
    if (this.groundKnown && gap > 0.2 * radius && gap < 6 * radius) {
      centre.y -= gap / 2;
      reach += gap / 2;
      for (let i = 0, n = points.length; i < n; i += 3) points.push(points[i], points[i + 1] - gap, points[i + 2]);
    }
    const free = (covered: number, size: number) => Math.max(0.5, 1 - (2 * covered) / Math.max(size, 1));
    this.camera.fit(centre.toArray(), reach, points, fresh,
      { x: free(BESIDE_PX, this.element.clientWidth), y: free(COVERED_PX, this.element.clientHeight) });
    this.requestDraw();
  }

  ray(clientX: number, clientY: number): { origin: V3; direction: V3 } {
    const { x, y } = this.ndc(clientX, clientY);
    const camera = this.camera.camera;
    const direction = new THREE.Vector3(x, y, 0.5).unproject(camera).sub(camera.position).normalize();
    return { origin: camera.position.toArray(), direction: direction.toArray() };
  }

  ndc(clientX: number, clientY: number): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: ((clientX - box.left) / box.width) * 2 - 1, y: 1 - ((clientY - box.top) / box.height) * 2 };
  }

  pick(clientX: number, clientY: number): Hit | null {
    const start = performance.now();
    const { origin, direction } = this.ray(clientX, clientY);
    let best: Hit | null = null;
    for (const body of this.bodies.values()) {
      const hit = body.pick(origin, direction);
      if (hit && (!best || hit.distance < best.distance)) {
        best = { body: body.id, ...hit, point: body.point(hit.face, hit.bary) };
      }
    }
    this.time('pick', performance.now() - start);
    return best;
  }

  /** Pixels from the left top of the view; z > 1 is behind the eye. */
  project(p: V3): { x: number; y: number; z: number } {
    const v = new THREE.Vector3().fromArray(p).project(this.camera.camera);
    return { x: ((v.x + 1) / 2) * this.element.clientWidth, y: ((1 - v.y) / 2) * this.element.clientHeight, z: v.z };
  }

  /** Of all colliders but level planes, as they are now. */
  get propVertices(): ArrayLike<number> {
    return this.props ? this.props.geometry.attributes.position.array : [];
  }

  get height(): number {
    return Math.max(this.element.clientHeight, 1);
  }

  /** The picture as a PNG with its gradient, at twice the size. Drawn and read in one task. */
  picture(): Promise<Blob | null> {
    const renderer = this.renderer;
    if (!renderer) return Promise.resolve(null);
    renderer.setPixelRatio(2);
    renderer.setSize(this.element.clientWidth, this.element.clientHeight, false);
    renderer.render(this.scene, this.camera.camera);
    const source = renderer.domElement;
    const out = document.createElement('canvas');
    out.width = source.width;
    out.height = source.height;
    const c = out.getContext('2d')!;
    const gradient = c.createRadialGradient(out.width / 2, out.height * 0.42, 0, out.width / 2, out.height * 0.42,
      Math.hypot(out.width, out.height) * 0.6);
    gradient.addColorStop(0, THEMES[this.theme].centre);
    gradient.addColorStop(1, THEMES[this.theme].edge);
    c.fillStyle = gradient;
    c.fillRect(0, 0, out.width, out.height);
    c.drawImage(source, 0, 0);
    this.resize();
    return new Promise((resolve) => out.toBlob(resolve, 'image/png'));
  }

  /** Calls when the pixels of what was drawn until now are there, not only its commands given. */
  whenDone(then: () => void): void {
    const gl = this.renderer?.getContext() as WebGL2RenderingContext | undefined;
    const fence = gl?.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!gl || !fence) return then();
    gl.flush();
    const look = () => {
      if (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return void setTimeout(look, FENCE_POLL_MS);
      gl.deleteSync(fence);
      then();
    };
    look();
  }

  time(what: keyof Timings, ms: number): void {
    const list = this.timings[what];
    list.push(ms);
    if (list.length > KEPT_TIMINGS) list.shift();
  }

  private draw(): void {
    this.scheduled = false;
    this.beforeDraw();
    const renderer = this.renderer;
    const start = performance.now();
    // An empty stage is not drawn: its shaders would only delay the first body.
    if (renderer && this.bodies.size) {
      const shown = this.shownOverlays();
      for (const overlay of this.overlays.values()) {
        overlay.update(shown, this.camera.camera.position, renderer.getPixelRatio());
      }
      renderer.render(this.scene, this.camera.camera);
      this.drawnEpoch = this.epoch;
      while (this.cooled.length) this.cooled.pop()!.dispose();
    }
    this.draws++;
    this.time('draw', performance.now() - start);
    this.drawn.emit();
    this.watchSpeed(start);
  }

  private shownOverlays(): Set<Overlay> {
    const shown = new Set(this.store.overlays);
    if (this.store.tool === 'cage') shown.add('cage');
    if (this.store.tool === 'joint') shown.add('skeleton');
    return shown;
  }

  /** Twenty drawn frames with a median interval above 50 ms: less is shown. */
  private watchSpeed(now: number): void {
    const interval = now - this.lastDraw;
    this.lastDraw = now;
    if (this.tierForced || this.tier === 'low' || interval > 1000) return;
    this.intervals.push(interval);
    if (this.intervals.length < 20) return;
    const median = this.intervals.sort((a, b) => a - b)[10];
    this.intervals = [];
    if (median > 50 && this.timings.draw.slice(-20).some((ms) => ms > 25)) this.setTier('low', false);
  }

  private makeRenderer(): void {
    this.renderer?.domElement.remove();
    this.renderer?.dispose();
    const high = this.tier === 'high';
    // The probe is taken once; a renderer that is replaced takes its canvas with it.
    const ready = high || this.renderer ? null : probe();
    const renderer = new THREE.WebGLRenderer(
      ready ? { canvas: ready.canvas, context: ready.gl, alpha: true } : { antialias: high, alpha: true });
    if (high && !this.renderer) probe()?.gl.getExtension('WEBGL_lose_context')?.loseContext();
    // Asking for the logs waits for every shader on its own.
    renderer.debug.checkShaderErrors = import.meta.env.DEV;
    renderer.toneMapping = THREE.NeutralToneMapping;
    renderer.toneMappingExposure = THEMES[this.theme].exposure;
    renderer.shadowMap.enabled = high;
    renderer.shadowMap.type = THREE.VSMShadowMap;
    this.key.castShadow = high;
    this.ground.setShadow(high);
    const canvas = renderer.domElement;
    canvas.id = 'canvas';
    canvas.setAttribute('aria-hidden', 'true');
    this.element.prepend(canvas);
    canvas.addEventListener('webglcontextrestored', () => this.requestDraw());
    this.renderer = renderer;
    this.resize();
  }

  /** The shaders of a body begin to compile before there is one. */
  private warmUp(): void {
    if (!this.renderer) return;
    this.warm = BodyView.empty(this.tier, this.uniforms);
    this.scene.add(this.warm.mesh);
    this.renderer.compile(this.scene, this.camera.camera);
    this.scene.remove(this.warm.mesh);
  }

  private resize(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (!this.renderer || !width || !height) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.camera.resize(width, height);
    const size = `${width} ${height}`;
    if (size !== this.sized && this.camera.framed) this.fit(false);
    this.sized = size;
    this.requestDraw();
  }

  private extent(): { lo: THREE.Vector3; centre: THREE.Vector3; radius: number } {
    const lo = new THREE.Vector3(Infinity, Infinity, Infinity), hi = lo.clone().negate();
    for (const b of this.bodies.values()) {
      lo.min(new THREE.Vector3().fromArray(b.lo));
      hi.max(new THREE.Vector3().fromArray(b.hi));
    }
    const centre = lo.clone().add(hi).multiplyScalar(0.5);
    let radius = 1e-6;
    for (const b of this.bodies.values()) radius = Math.max(radius, b.reach(centre.toArray()));
    return { lo, centre, radius };
  }

  /** Lights, ground and lengths for the bodies as they are now. */
  private arrange(): void {
    const { lo, centre, radius } = this.extent();
    const lowest = lo.y;
    this.center = centre.toArray();
    this.radius = radius;
    this.rig.position.set(0, 0, 0);
    const scale = radius / UNIT_RADIUS;
    const given = this.store.scene?.ground;
    this.groundKnown = typeof given === 'number';
    this.groundY = typeof given === 'number' ? given : lowest - 0.6 * radius;
    this.uniforms.uGround.value = this.groundY;
    this.uniforms.uScale.value = scale;
    this.ground.place(this.groundY, centre, scale * 1.4);
    const place = (light: THREE.DirectionalLight, [x, y, z]: V3) => {
      light.position.set(x, y, z).multiplyScalar(scale).add(centre);
      light.target.position.copy(centre);
    };
    [this.key, this.rim, this.fill].forEach((light, i) => place(light, LIGHTS[i]));
    const reach = 2.2 * radius + Math.max(0, lowest - this.groundY);
    const shadow = this.key.shadow.camera;
    shadow.left = shadow.bottom = -reach;
    shadow.right = shadow.top = reach;
    shadow.near = 0.1 * scale;
    shadow.far = 7 * scale + 3 * reach;
    shadow.updateProjectionMatrix();
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.012 * scale;
    this.store.brush = round(0.14 * radius);
    this.store.viewChanged.emit();
  }

  /** Colliders: one surface for the whole scene. */
  private setProps(m: Message): void {
    if (this.props) {
      this.scene.remove(this.props);
      this.props.geometry.dispose();
      this.props = null;
    }
    const at = (channel: Channel) => m.blocks.find((b) => b.body === SCENE_BODY && b.channel === channel);
    const surface = at(Channel.Surface), triangles = at(Channel.Triangles);
    if (!surface || !triangles || !triangles.count) return;
    const geometry = new THREE.BufferGeometry();
    const x = new Float32Array(surface.count * 3);
    positionsInto(surface, x);
    geometry.setAttribute('position', new THREE.BufferAttribute(x, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(x.length), 3)); // as a body's: one shader
    geometry.setIndex(new THREE.BufferAttribute((triangles.data as Uint32Array).slice(), 1));
    this.props = new THREE.Mesh(geometry);
    this.paintProps();
    this.props.frustumCulled = false;
    this.props.castShadow = this.props.receiveShadow = true;
    this.scene.add(this.props);
  }

  private paintProps(): void {
    if (!this.props) return;
    (this.props.material as THREE.Material).dispose();
    this.props.material = propMaterial(this.tier, THEMES[this.theme].prop, this.uniforms);
  }

  /** Lights and camera go with the bodies. */
  private followBodies(): void {
    const lo = new THREE.Vector3(Infinity, Infinity, Infinity), hi = lo.clone().negate();
    for (const b of this.bodies.values()) {
      lo.min(new THREE.Vector3().fromArray(b.lo));
      hi.max(new THREE.Vector3().fromArray(b.hi));
    }
    const centre = lo.add(hi).multiplyScalar(0.5);
    if (!Number.isFinite(centre.x)) return;
    this.rig.position.copy(centre).sub(new THREE.Vector3().fromArray(this.center));
    // The camera stands still while a body is held.
    if (!this.grabs.length) this.camera.follow(centre.toArray());
  }

  private moveProps(m: Message): void {
    const block = m.blocks.find((b) => b.body === SCENE_BODY && b.channel === Channel.Surface);
    if (!this.props || !block) return;
    const attribute = this.props.geometry.attributes.position as THREE.BufferAttribute;
    positionsInto(block, attribute.array as Float32Array);
    attribute.needsUpdate = true;
  }

  private lookChanged(): void {
    const { look } = this.store;
    const crowded = this.shownOverlays().has('cage') || this.shownOverlays().has('skeleton');
    this.uniforms.uLook.value = look === 'stretch' ? 2 : look === 'grid' && !crowded ? 1 : 0;
    this.uniforms.uGridStrength.value = look === 'stretch' ? 0.25 : 0.42;
    if (look === 'stretch') this.updateRange();
    this.requestDraw();
  }

  /** Symmetric range at the 99th percentile of the stretch. */
  private updateRange(): void {
    const sample: number[] = [];
    for (const body of this.bodies.values()) {
      const stride = Math.max(1, Math.floor(body.scalar.length / 4000));
      for (let i = 0; i < body.scalar.length; i += stride) sample.push(Math.abs(body.scalar[i]));
    }
    sample.sort((a, b) => a - b);
    const at = sample[Math.floor(0.99 * (sample.length - 1))] ?? 0;
    // Steps of the range keep the colours from flickering with every frame.
    const range = niceCeil(Math.max(at, 0.01));
    if (range === this.stretchRange) return;
    this.stretchRange = this.uniforms.uRange.value = range;
    this.rangeChanged.emit(range);
  }
}

/** The next of 1, 2, 5 times a power of ten. */
export function niceCeil(v: number): number {
  const power = 10 ** Math.floor(Math.log10(v));
  for (const step of [1, 2, 5, 10]) if (v <= step * power * 1.0000001) return step * power;
  return 10 * power;
}

function round(v: number): number {
  const power = 10 ** Math.floor(Math.log10(v) - 1);
  return Math.round(v / power) * power;
}
