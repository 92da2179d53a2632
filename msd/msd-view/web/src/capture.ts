// Saving what is to be seen: a picture (PNG) or a video (WebM).
import type { Stage } from "./stage";
import { toast } from "./text";

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function fileName(scene: string, time: number, extension: string): string {
  const plain = scene.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "") || "scene";
  return `${plain}_${time.toFixed(2)}s.${extension}`;
}

export function savePicture(stage: Stage, name: string): void {
  stage.draw(true);
  stage.renderer.domElement.toBlob((blob) => {
    if (!blob) return toast("The picture could not be made", "bad");
    save(blob, name);
    toast(`Saved ${name}`);
  }, "image/png");
}

export class Video {
  private recorder: MediaRecorder | null = null;
  /** Recorded so far. */
  bytes = 0;

  get isOn(): boolean {
    return this.recorder !== null;
  }

  start(stage: Stage, name: () => string, ended: () => void): void {
    const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
    const type = types.find((candidate) => MediaRecorder.isTypeSupported(candidate));
    if (!type) return toast("This browser cannot record WebM", "bad");
    const parts: Blob[] = [];
    const stream = stage.renderer.domElement.captureStream(60);
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12_000_000 });
    this.bytes = 0;
    recorder.ondataavailable = (event) => {
      this.bytes += event.data.size;
      if (event.data.size) parts.push(event.data);
    };
    recorder.onstop = () => {
      stream.getTracks().forEach((track) => track.stop());
      this.recorder = null;
      ended();
      if (this.bytes === 0) return toast("Nothing was recorded: the picture did not change", "bad");
      const file = name();
      save(new Blob(parts, { type: "video/webm" }), file);
      toast(`Saved ${file}`);
    };
    recorder.start(250);
    this.recorder = recorder;
    stage.invalidate();
    toast("Recording; press V to stop");
  }

  stop(): void {
    this.recorder?.stop();
  }
}
