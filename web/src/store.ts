// SPDX-License-Identifier: Apache-2.0
// What the page knows: the scene, its options, the newest frame's header, and the state of the whole (docs/viewer.md).
// The server owns every value; the page shows what the server said last.

import { CommandError, Connection } from './net/connection';
import { Flag, Message } from './protocol/binary';
import {
  BodyInfo, BuildMessage, EventMessage, HandleInfo, History, Option, PROTOCOL, Reply, SceneCard, SceneMessage,
  ServerMessage, StatsMessage, Transport, Value, Welcome,
} from './protocol/types';
import { Signal } from './signal';

export type State =
  | 'boot' | 'connecting' | 'loading' | 'live' | 'paused' | 'posing' | 'rebuilding' | 'stopped' | 'lost' | 'refused';

export type ToolName = 'grab' | 'dent' | 'pin' | 'handle' | 'cage' | 'joint';
export type Overlay = 'nodes' | 'cage' | 'skeleton' | 'active' | 'contacts' | 'forces' | 'wireframe';
export type Look = 'plain' | 'grid' | 'stretch';
export type Tier = 'high' | 'low';

export interface Notice {
  level: 'info' | 'warning' | 'error';
  text: string;
  detail?: string;
  actions?: { label: string; run: () => void }[];
}

export interface FrameHeader {
  seq: number;
  epoch: number;
  step: number;
  applied: number;
  time: number;
  flags: number;
  rate: number;
  stepMs: number;
}

export function labels(entry: History['undo'] | undefined): string[] {
  if (Array.isArray(entry)) return entry;
  if (typeof entry === 'string') return [entry];
  return new Array<string>(entry ?? 0).fill('');
}

const MOST_NOTES = 6;

export class Store {
  readonly stateChanged = new Signal<State>();
  readonly sceneChanged = new Signal<SceneMessage>();
  readonly optionsChanged = new Signal<string[]>();
  readonly transportChanged = new Signal<Transport>();
  readonly historyChanged = new Signal<History>();
  readonly statsArrived = new Signal<StatsMessage>();
  readonly noticed = new Signal<Notice>();
  readonly spoken = new Signal<string>();
  readonly toolChanged = new Signal<ToolName>();
  readonly viewChanged = new Signal();
  readonly bodyChanged = new Signal();
  readonly presenceChanged = new Signal<number>();

  state: State = 'boot';
  welcome: Welcome | null = null;
  scene: SceneMessage | null = null;
  methods: string[] = [];
  scenes: SceneCard[] = [];
  options = new Map<string, Option>();
  transport: Transport = { playing: true, speed: 1, posing: false, recording: false };
  history: History = { undo: 0, redo: 0 };
  build: BuildMessage | null = null;
  stopped: EventMessage | null = null;
  frame: FrameHeader = { seq: 0, epoch: 0, step: 0, applied: 0, time: 0, flags: 0, rate: 0, stepMs: 0 };
  clients = 1;
  /** What builds found out about the bodies. */
  notes: string[] = [];

  tool: ToolName = 'grab';
  /** Index into scene.bodies of the body the panel is about. */
  current = 0;
  look: Look = 'grid';
  overlays = new Set<Overlay>();
  softness = 0.35;
  radius = 0; // grab: 0 takes the nearest point alone
  brush = 0.25; // dent, pin and handle; set from the size of the scene when one is loaded

  readonly handleVertices = new Map<number, number[]>();
  poseText = '';

  private instance = '';

  constructor(readonly link: Connection) {
    link.message.on((m) => this.receive(m));
    link.linkChanged.on((l) => {
      if (l === 'connecting' && this.state !== 'lost') this.setState('connecting');
      if (l === 'open') this.setState('loading');
      if (l === 'lost') this.setState('lost');
      if (l === 'refused') this.setState('refused');
    });
  }

  get body(): BodyInfo | null {
    return this.scene?.bodies[this.current] ?? null;
  }

  get readOnly(): boolean {
    return this.welcome?.read_only ?? false;
  }

  /** Handles of all bodies; those this page made are known by their vertices, too. */
  get handles(): HandleInfo[] {
    return (this.scene?.bodies ?? []).flatMap((b) =>
      (b.handles ?? []).map((handle) => ({ handle, body: b.id, vertices: this.handleVertices.get(handle) })));
  }

  /** Sends a command; an error is shown to the user and the promise still fails, for callers that must know. */
  async command(cmd: string, args: object = {}): Promise<Reply> {
    try {
      return await this.link.send(cmd, args);
    } catch (error) {
      if (error instanceof CommandError && error.code !== 'disconnected') {
        this.notice({ level: 'error', text: error.message, detail: error.advice });
      }
      throw error;
    }
  }

  /** As command(), for callers with nothing to do after it. */
  do(cmd: string, args: object = {}): void {
    this.command(cmd, args).catch(() => undefined);
  }

  setOption(path: string, value: Value, final: boolean): void {
    this.command('option.set', { path, value, final }).catch(() => this.optionsChanged.emit([path]));
  }

  notice(notice: Notice): void {
    this.noticed.emit(notice);
    this.spoken.emit(notice.text);
  }

  setTool(tool: ToolName): void {
    if (tool === this.tool) return;
    this.tool = tool;
    this.toolChanged.emit(tool);
    this.spoken.emit(`${tool} tool`);
  }

  setLook(look: Look): void {
    this.look = look;
    this.viewChanged.emit();
  }

  toggleOverlay(overlay: Overlay, on = !this.overlays.has(overlay)): void {
    if (on) this.overlays.add(overlay);
    else this.overlays.delete(overlay);
    this.viewChanged.emit();
  }

  selectBody(index: number): void {
    if (index === this.current || !this.scene || index < 0 || index >= this.scene.bodies.length) return;
    this.current = index;
    this.bodyChanged.emit();
  }

  frameArrived(m: Message): void {
    this.frame = {
      seq: m.seq, epoch: m.epoch, step: m.step, applied: m.applied, time: m.time, flags: m.flags, rate: m.rate,
      stepMs: m.stepMs,
    };
    if (!(m.flags & Flag.stopped)) this.stopped = null;
    this.settle();
  }

  private receive(m: ServerMessage): void {
    switch (m.type) {
      case 'welcome':
        this.welcomed(m);
        break;
      case 'scene':
        this.sceneArrived(m);
        break;
      case 'options':
        for (const { path, value } of m.changed) {
          const option = this.options.get(path);
          if (option) option.value = value;
        }
        this.optionsChanged.emit(m.changed.map((c) => c.path));
        break;
      case 'history':
        this.history = m;
        this.historyChanged.emit(m);
        break;
      case 'transport':
        this.setTransport(m);
        break;
      case 'presence':
        this.clients = m.clients;
        this.presenceChanged.emit(m.clients);
        break;
      case 'build':
        this.build = m.fraction < 1 ? m : null;
        this.settle();
        break;
      case 'event':
        this.evented(m);
        break;
      case 'stats':
        if (m.pose !== undefined && m.pose !== this.poseText) {
          this.poseText = m.pose;
          this.stateChanged.emit(this.state);
        }
        this.statsArrived.emit(m);
        break;
      case 'error':
        this.notice({ level: 'error', text: m.message });
        break;
    }
  }

  private welcomed(m: Welcome): void {
    if (m.protocol !== PROTOCOL) {
      this.notice({ level: 'error', text: `The server speaks protocol ${m.protocol}, this page ${PROTOCOL}.` });
    }
    if (this.instance && this.instance !== m.instance) {
      this.notice({ level: 'info', text: 'The simulation was started anew; this is its present state.' });
    }
    this.instance = m.instance;
    this.welcome = m;
    if (m.methods) this.methods = m.methods;
    if (m.scenes) this.scenes = m.scenes;
  }

  private sceneArrived(m: SceneMessage): void {
    const before = this.scene;
    this.scene = m;
    this.options = new Map(m.options.map((o) => [o.path, o]));
    this.history = m.history;
    this.build = null;
    if (!before || before.name !== m.name || this.current >= m.bodies.length) this.current = 0;
    this.setTransport(m.transport);
    this.historyChanged.emit(m.history);
    this.sceneChanged.emit(m);
  }

  private setTransport(t: Transport): void {
    this.transport = { playing: t.playing, speed: t.speed, posing: t.posing, recording: t.recording };
    this.transportChanged.emit(this.transport);
    this.settle();
  }

  private evented(m: EventMessage): void {
    if (m.code === 'diverged' || m.code === 'stopped') {
      this.stopped = m;
      this.settle();
      return;
    }
    if (m.code === 'note') { // what a build found: for who looks, not over the body
      this.notes = [...this.notes, m.message].slice(-MOST_NOTES);
      this.presenceChanged.emit(this.clients);
      return;
    }
    if (m.code === 'build_failed') this.build = null;
    this.notice({ level: m.level, text: m.message, detail: m.advice });
    this.settle();
  }

  /** The state that follows from what is known while the link is open. */
  private settle(): void {
    if (this.link.link !== 'open' || this.frame.seq === 0 || !this.scene) return;
    if (this.frame.epoch !== this.scene.epoch) return;
    if (this.stopped) this.setState('stopped');
    else if (this.build) this.setState('rebuilding');
    else if (this.transport.posing) this.setState('posing');
    else this.setState(this.transport.playing ? 'live' : 'paused');
  }

  private setState(state: State): void {
    // The frame of an earlier connection says nothing about this one.
    if (state === 'connecting' || state === 'loading' || state === 'lost') this.frame = { ...this.frame, seq: 0 };
    const changed = state !== this.state;
    this.state = state;
    if (changed || state === 'rebuilding' || state === 'lost') this.stateChanged.emit(state);
  }
}
