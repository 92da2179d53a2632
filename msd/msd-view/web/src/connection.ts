// The way to the server: one WebSocket for what is to be seen and done, requests for opening files.
import {
  messageKinds, readBounds, readContacts, readJoints, readPoses, readScene, readSeries,
  type BodyReport, type Bounds, type Contacts, type Joints, type PlayState, type Poses, type SceneInfo, type SeriesChunk,
} from "./wire";

export interface Listener {
  connected(): void;
  lost(): void;
  sceneCame(scene: SceneInfo): void;
  posesCame(poses: Poses): void;
  contactsCame(contacts: Contacts): void;
  boundsCame(bounds: Bounds): void;
  jointsCame(joints: Joints): void;
  seriesCame(chunk: SeriesChunk): void;
  stateCame(state: PlayState): void;
  bodyCame(report: BodyReport): void;
  error(message: string): void;
}

export interface ShippedScene {
  file: string;
  name: string;
  description: string;
  bodies: number;
}

export class Connection {
  private socket: WebSocket | null = null;
  private retryMs = 250;
  private wishes = { contacts: false, bounds: false, joints: false };
  private selected = -1;
  /** Bytes received, for the measurements. */
  received = 0;

  constructor(private readonly listener: Listener) {
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  private connect(): void {
    const address = new URL("socket", location.href);
    address.protocol = "ws:";
    address.search = address.hash = "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.retryMs = 250;
      this.listener.connected();
      this.send({ c: "subscribe", ...this.wishes });
      if (this.selected >= 0) this.send({ c: "select", body: this.selected });
    };
    socket.onmessage = (event) => this.take(event.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.listener.lost();
      setTimeout(() => this.connect(), this.retryMs);
      this.retryMs = Math.min(this.retryMs * 2, 4000);
    };
    this.socket = socket;
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      this.received += data.length;
      return this.takeText(JSON.parse(data));
    }
    this.received += data.byteLength;
    switch (new DataView(data).getUint32(0, true)) {
      case messageKinds.poses: return this.listener.posesCame(readPoses(data));
      case messageKinds.contacts: return this.listener.contactsCame(readContacts(data));
      case messageKinds.series: return this.listener.seriesCame(readSeries(data));
      case messageKinds.scene: return this.listener.sceneCame(readScene(data));
      case messageKinds.bounds: return this.listener.boundsCame(readBounds(data));
      case messageKinds.joints: return this.listener.jointsCame(readJoints(data));
    }
  }

  private takeText(message: { t: string } & Record<string, unknown>): void {
    if (message.t === "state") this.listener.stateCame(message as unknown as PlayState);
    if (message.t === "body") this.listener.bodyCame(message as unknown as BodyReport);
    if (message.t === "error") this.listener.error(String(message.message));
  }

  send(wish: Record<string, unknown>): void {
    if (this.isOpen) this.socket!.send(JSON.stringify(wish));
  }

  subscribe(wishes: Partial<Connection["wishes"]>): void {
    const all = { ...this.wishes, ...wishes };
    if (JSON.stringify(all) === JSON.stringify(this.wishes)) return;
    this.wishes = all;
    this.send({ c: "subscribe", ...this.wishes });
  }

  select(body: number): void {
    this.selected = body;
    this.send({ c: "select", body });
  }
}

export async function listScenes(): Promise<ShippedScene[]> {
  const response = await fetch("scenes");
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Opens a shipped scene or a dropped file; throws with the message of `msd check`. */
export async function open(scene: string): Promise<void> {
  const response = await fetch(`open?scene=${encodeURIComponent(scene)}`, { method: "POST" });
  if (!response.ok) throw new Error(await response.text());
}

/** Sends a file to be opened; `progress` is told which share of it has gone. fetch cannot tell that. */
export function send(file: File, progress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `open?name=${encodeURIComponent(file.name)}`);
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => (request.status === 200 ? resolve() : reject(new Error(request.responseText)));
    request.onerror = () => reject(new Error("the connection broke while the file was sent"));
    request.send(file);
  });
}
