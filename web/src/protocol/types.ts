// SPDX-License-Identifier: Apache-2.0
// JSON messages between page and server, version 1 (docs/viewer.md, "Protocol").

export type Vec3 = [number, number, number];
export type Value = number | boolean | string | number[] | null;

export interface Choice {
  value: string | number;
  name?: string;
  help?: string;
}

/** One description per option: everything the page shows of it is generated from this. */
export interface Option {
  path: string;
  name: string;
  type: 'number' | 'integer' | 'boolean' | 'choice' | 'vector3' | 'text';
  unit?: string;
  min?: number;
  max?: number;
  hard_min?: number;
  hard_max?: number;
  scale?: 'log' | 'linear';
  digits?: number;
  default?: Value;
  value: Value;
  group?: string;
  order?: number;
  level?: 'basic' | 'more';
  effect?: 'live' | 'refactor' | 'rebuild' | 'reload';
  help?: string;
  when?: Record<string, Value>;
  enabled?: boolean;
  why?: string;
  choices?: Choice[];
}

/** From where it was taken. */
export interface HandlePlace {
  translate: Vec3;
  /** Quaternion x, y, z, w. */
  rotate: [number, number, number, number];
  scale: Vec3;
}

export interface HandleInfo {
  handle: number;
  body: number;
  /** Known for handles that this page made. */
  vertices?: number[];
}

export interface BodyInfo {
  id: number;
  name: string;
  method: string;
  vertices: number;
  nodes: number;
  dof?: number;
  can_pose?: boolean;
  /** Ids of its handles. */
  handles?: number[];
  /** Where they were when this message was made. */
  handle_places?: HandlePlace[];
  /** Names of the joints, in the order of the joints channel. */
  joints?: string[];
  /** Of the joints channel, those that a hand pulls to a place; others are turned. */
  pulled_joints?: number[];
  /** Of a cloud of points, m; 0: it has a surface. */
  point_spacing?: number;
  /** Methods this body cannot take, each with the reason. */
  refused_methods?: Record<string, string>;
}

export interface SceneCard {
  name: string;
  description?: string;
  methods?: string[];
  /** Mesh files that it names and that are not there. */
  missing?: string[];
}

export interface Transport {
  playing: boolean;
  speed: number;
  posing: boolean;
  /** False, or the format that is written. */
  recording: boolean | string;
}

/** Counts or labels: labels name the entries, the newest last. */
export interface History {
  undo: number | string[] | string | null;
  redo: number | string[] | string | null;
}

export interface Welcome {
  type: 'welcome';
  protocol: number;
  version: string;
  instance: string;
  client: number;
  limits?: { upload?: number; [key: string]: unknown };
  read_only: boolean;
  /** Names of the methods a body can have. */
  methods?: string[];
  scenes?: SceneCard[];
}

export interface SceneMessage {
  type: 'scene';
  epoch: number;
  name: string;
  bodies: BodyInfo[];
  options: Option[];
  transport: Transport;
  history: History;
  /** Height of the lowest level plane, m. */
  ground?: number | null;
}

export interface ErrorInfo {
  code: string;
  message: string;
  where?: string;
  nearest?: string;
  advice?: string;
}

export interface Reply {
  type: 'reply';
  id: number;
  ok: boolean;
  step?: number;
  result?: Record<string, unknown>;
  error?: ErrorInfo;
}

export interface BuildMessage {
  type: 'build';
  body: number | string | null;
  stage: string;
  fraction: number;
  eta_s?: number | null;
  cancel?: boolean;
}

export interface EventMessage {
  type: 'event';
  level: 'info' | 'warning' | 'error';
  code: string;
  body?: number | string | null;
  step?: number;
  message: string;
  advice?: string;
}

export interface BodyStats {
  id: number;
  stages: Record<string, (number | null)[]>;
  kinetic: (number | null)[] | null;
  elastic: (number | null)[] | null;
  volume: (number | null)[] | null;
}

export interface StatsMessage {
  type: 'stats';
  step: number[];
  step_ms: number[];
  rate: number;
  dropped: number;
  /** Time step, s. */
  h?: number;
  /** While posing: how the static solve stands. */
  pose?: string;
  bodies: BodyStats[];
}

export type ServerMessage =
  | Welcome
  | SceneMessage
  | Reply
  | BuildMessage
  | EventMessage
  | StatsMessage
  | { type: 'options'; changed: { path: string; value: Value }[]; by?: number }
  | ({ type: 'history' } & History)
  | ({ type: 'transport' } & Transport)
  | { type: 'presence'; clients: number }
  | { type: 'error'; code: string; message: string };

export const PROTOCOL = 1;
export const SUBPROTOCOL = 'pliant.1';
