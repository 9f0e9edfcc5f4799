// SPDX-License-Identifier: Apache-2.0
// The socket: hello, commands and replies, acknowledgements, and coming back by itself after a loss.
//
//   connecting -> open -> lost -> connecting ...        connecting -> refused (final)
//
// At most one binary message is in flight. A model is decoded at once; of the frames only the newest is kept until
// the page draws, and it is acknowledged before drawing, so that the next one travels meanwhile.

import { Kind, Message, parse, ProtocolError } from '../protocol/binary';
import { Reply, ServerMessage, SUBPROTOCOL } from '../protocol/types';
import { Signal } from '../signal';

export type Link = 'connecting' | 'open' | 'lost' | 'refused';

export class CommandError extends Error {
  constructor(readonly code: string, message: string, readonly advice?: string, readonly where?: string) {
    super(message);
  }
}

export interface Wishes {
  format: 'f32' | 'u16';
  channels: string[];
  max_rate: number;
  watch: boolean;
}

const DELAYS_MS = [250, 500, 1000, 2000];
const CLOSE_BAD_MESSAGE = 4400;
const CLOSE_SILENT = 4408;
const CLOSE_TOO_MANY = 4429;

export class Connection {
  readonly message = new Signal<ServerMessage>();
  readonly model = new Signal<Message>();
  readonly frameWaiting = new Signal();
  readonly linkChanged = new Signal<Link>();

  link: Link = 'connecting';
  refusal = '';
  /** When the next attempt starts, by performance.now(). */
  nextTry = 0;
  readonly counters = { received: 0, decoded: 0, dropped: 0, acked: 0, sent: 0, replies: 0, errors: 0, reconnects: 0 };

  private socket: WebSocket | null = null;
  private nextId = 1;
  private attempts = 0;
  private everOpen = false;
  private waiting: ArrayBuffer | null = null;
  /** What came before anybody listened. */
  private early: (() => void)[] | null = [];
  private pending = new Map<number, { resolve: (r: Reply) => void; reject: (e: Error) => void }>();

  constructor(private readonly wishes: Wishes) {}

  /** Everybody who listens is there: what waited comes, in its order. */
  listen(): void {
    const waiting = this.early ?? [];
    this.early = null;
    for (const tell of waiting) tell();
  }

  connect(): void {
    this.setLink('connecting');
    const url = new URL('ws', document.baseURI);
    url.protocol = url.protocol.replace('http', 'ws');
    url.search = '';
    url.hash = '';
    const socket = new WebSocket(url, SUBPROTOCOL);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.nextId = 1;
    this.waiting = null;
    const heard = (tell: () => void) => (this.early ? void this.early.push(tell) : tell());
    socket.onopen = () => {
      if (this.everOpen) this.counters.reconnects++;
      this.everOpen = true;
      this.attempts = 0;
      const said = JSON.stringify(this.wishes);
      this.post({ type: 'hello', ...this.wishes });
      heard(() => {
        this.setLink('open');
        if (JSON.stringify(this.wishes) !== said) this.wish({});
      });
    };
    socket.onmessage = (event) => heard(() => {
      if (socket === this.socket) this.receive(event.data as string | ArrayBuffer);
    });
    socket.onclose = (event) => heard(() => {
      if (socket === this.socket) void this.closed(event);
    });
  }

  /** Changes what the server sends. */
  wish(change: Partial<Wishes>): void {
    Object.assign(this.wishes, change);
    if (this.link === 'open') {
      const { channels, format, max_rate } = this.wishes;
      this.post({ type: 'view', channels, format, max_rate });
    }
  }

  wants(channel: string): boolean {
    return this.wishes.channels.includes(channel);
  }

  /** Highest id given to a command on this connection. */
  get lastId(): number {
    return this.nextId - 1;
  }

  get unanswered(): number {
    return this.pending.size;
  }

  send(cmd: string, args: object = {}): Promise<Reply> {
    if (this.link !== 'open' || !this.socket) {
      return Promise.reject(new CommandError('disconnected', 'not connected to the simulation'));
    }
    const id = this.nextId++;
    this.post({ id, cmd, args });
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  /** Decodes the newest frame, if one waits, and acknowledges it. */
  takeFrame(): Message | null {
    if (!this.waiting) return null;
    const buffer = this.waiting;
    this.waiting = null;
    return this.decode(buffer);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === 'string') {
      this.text(data);
      return;
    }
    this.counters.received++;
    // Byte 6 tells a model from a frame.
    if (data.byteLength > 6 && new Uint8Array(data)[6] === Kind.Model) {
      const message = this.decode(data);
      if (message) this.model.emit(message);
      return;
    }
    if (this.waiting) {
      this.counters.dropped++;
      this.acknowledge(this.waiting);
    }
    this.waiting = data;
    this.frameWaiting.emit();
  }

  private decode(buffer: ArrayBuffer): Message | null {
    try {
      const message = parse(buffer);
      this.counters.decoded++;
      this.post({ type: 'ack', seq: message.seq });
      this.counters.acked++;
      return message;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.counters.errors++;
      this.refuse(`This page cannot read what the server sends: ${error.message}.`);
      return null;
    }
  }

  private acknowledge(buffer: ArrayBuffer): void {
    this.post({ type: 'ack', seq: new DataView(buffer).getUint32(8, true) });
    this.counters.acked++;
  }

  private text(data: string): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(data) as ServerMessage;
    } catch {
      this.counters.errors++;
      return;
    }
    if (message.type === 'reply') {
      this.counters.replies++;
      const waiting = this.pending.get(message.id);
      this.pending.delete(message.id);
      if (!waiting) return;
      if (message.ok) waiting.resolve(message);
      else {
        this.counters.errors++;
        const e = message.error ?? { code: 'internal', message: 'the server gave no reason' };
        waiting.reject(new CommandError(e.code, e.message, e.advice ?? e.nearest, e.where));
      }
      return;
    }
    if (message.type === 'error') this.counters.errors++;
    this.message.emit(message);
  }

  private async closed(event: CloseEvent): Promise<void> {
    this.socket = null;
    this.waiting = null;
    for (const { reject } of this.pending.values()) reject(new CommandError('disconnected', 'the connection was lost'));
    this.pending.clear();
    if (this.link === 'refused') return;
    if (event.code === CLOSE_BAD_MESSAGE) {
      this.refuse(event.reason || 'The server speaks another version of the protocol than this page. Reload the page.');
      return;
    }
    if (event.code === CLOSE_TOO_MANY && !this.counters.decoded) {
      this.refuse(event.reason || 'Too many pages watch this simulation already. Close one and reload.');
      return;
    }
    if (event.code !== CLOSE_SILENT && (await this.addressGone())) {
      this.refuse('The simulation answers at another address now. Open the address that `pliant view` printed last.');
      return;
    }
    const delay = DELAYS_MS[Math.min(this.attempts++, DELAYS_MS.length - 1)];
    this.nextTry = performance.now() + delay;
    this.setLink('lost');
    setTimeout(() => this.connect(), delay);
  }

  /** A refused upgrade and a dead server look the same to a socket; plain HTTP tells them apart. */
  private async addressGone(): Promise<boolean> {
    try {
      const answer = await fetch(new URL('health', document.baseURI), { cache: 'no-store' });
      return answer.status === 404;
    } catch {
      return false;
    }
  }

  private refuse(reason: string): void {
    this.refusal = reason;
    this.setLink('refused');
    this.socket?.close();
  }

  private setLink(link: Link): void {
    if (this.link === 'refused' && link !== 'refused') return;
    this.link = link;
    this.linkChanged.emit(link);
  }

  private post(message: object): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.counters.sent++;
    this.socket.send(JSON.stringify(message));
  }
}
