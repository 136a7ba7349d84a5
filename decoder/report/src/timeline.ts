// The timeline of a kind, with a brush: everything else follows what is selected.
// Invariant: a selection is of whole bins, so that its sum is exact.
import { sharp } from "./dom.ts";
import type { Palette } from "./paint.ts";

const HEIGHT = 56;
const AXIS = 16;
const PAD = 12;

export interface Scene { own: Float64Array; base: Float64Array | undefined; from: number; to: number; palette: Palette; edge(bin: number): number; bins: number }

export class Timeline {
  readonly canvas = document.createElement("canvas");
  private scene: Scene | undefined;
  private grabbed: number | undefined;

  constructor(private readonly select: (from: number, to: number) => void) {
    const { canvas } = this;
    canvas.className = "timeline";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Timeline: drag to select a time, or use the arrow keys; with Shift they change the length");
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const { from, to } = this.scene ?? { from: 0, to: 0 };
      const bin = this.bin(event);
      // An edge that is near moves; anywhere else a new selection begins.
      const near = (edge: number) => to > from && Math.abs(this.x(edge) - (event.clientX - canvas.getBoundingClientRect().left)) < 6;
      this.grabbed = near(from) ? to - 1 : near(to) ? from : bin;
      if (!near(from) && !near(to)) this.span(bin);
    });
    canvas.addEventListener("pointermove", (event) => this.grabbed !== undefined && this.span(this.bin(event)));
    canvas.addEventListener("pointerup", () => (this.grabbed = undefined));
    canvas.addEventListener("dblclick", () => this.select(0, 0));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.draw();
  }

  private span(bin: number): void {
    const start = this.grabbed ?? bin;
    this.select(Math.min(start, bin), Math.max(start, bin) + 1);
  }

  private get width(): number {
    return Math.max(1, this.canvas.clientWidth - 2 * PAD);
  }

  private x(bin: number): number {
    return PAD + (bin / (this.scene?.bins ?? 1)) * this.width;
  }

  private bin(event: PointerEvent): number {
    const bins = this.scene?.bins ?? 1;
    const at = Math.floor(((event.clientX - this.canvas.getBoundingClientRect().left - PAD) / this.width) * bins);
    return Math.min(bins - 1, Math.max(0, at));
  }

  private key(event: KeyboardEvent): void {
    const { scene } = this;
    if (scene === undefined) return;
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.key === "Escape") this.select(0, 0);
    else if (step === 0) return;
    else if (scene.to <= scene.from) this.select(0, Math.max(1, Math.round(scene.bins / 20)));
    else if (event.shiftKey) this.select(scene.from, Math.min(scene.bins, Math.max(scene.from + 1, scene.to + step)));
    else if (scene.from + step >= 0 && scene.to + step <= scene.bins) this.select(scene.from + step, scene.to + step);
    event.preventDefault();
  }

  draw(): void {
    const { scene, canvas } = this;
    if (scene === undefined || canvas.clientWidth === 0) return;
    const { palette, own, base, bins, from, to } = scene;
    const context = sharp(canvas, canvas.clientWidth, HEIGHT + AXIS);
    const columns = Math.min(bins, Math.floor(this.width / 3));
    // Bins that share a column of pixels are drawn as their sum.
    const group = (amounts: Float64Array) => {
      const sums = new Float64Array(columns);
      amounts.forEach((amount, bin) => (sums[Math.min(columns - 1, Math.floor((bin / bins) * columns))] += Math.abs(amount)));
      return sums;
    };
    const [drawn, older] = [group(own), base && group(base)];
    const most = Math.max(1e-9, ...drawn, ...(older ?? []));
    const step = this.width / columns;
    const selected = (column: number) => to <= from || ((column + 1) * (bins / columns) > from && column * (bins / columns) < to);
    drawn.forEach((sum, column) => {
      const height = sum === 0 ? 0 : Math.max(1, (sum / most) * (HEIGHT - 6));
      context.fillStyle = selected(column) ? palette.bar : palette.barOff;
      context.fillRect(PAD + column * step, HEIGHT - height, Math.max(1, step - 0.5), height);
    });
    if (older) {
      context.strokeStyle = palette.muted;
      context.beginPath();
      older.forEach((sum, column) => context.lineTo(PAD + (column + 0.5) * step, HEIGHT - (sum / most) * (HEIGHT - 6)));
      context.stroke();
    }
    context.fillStyle = palette.line;
    context.fillRect(PAD, HEIGHT, this.width, 1);
    this.axis(context);
    if (to > from) {
      context.fillStyle = palette.accent;
      context.globalAlpha = 0.1;
      context.fillRect(this.x(from), 0, this.x(to) - this.x(from), HEIGHT);
      context.globalAlpha = 1;
      for (const edge of [from, to]) context.fillRect(this.x(edge) - 1, 0, 2, HEIGHT);
    }
  }

  private axis(context: CanvasRenderingContext2D): void {
    const { scene } = this;
    const [begin, end] = [scene!.edge(0), scene!.edge(scene!.bins)];
    const wanted = (end - begin) / Math.max(2, this.width / 110);
    const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wanted) ?? power;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = scene!.palette.muted;
    const digits = Math.max(0, 9 - Math.floor(Math.log10(step)));
    for (let at = 0; at <= end; at += step) {
      const x = PAD + ((at - begin) / (end - begin)) * this.width;
      const text = `${(at / 1e9).toFixed(digits)} s`;
      context.textAlign = at === 0 ? "left" : "center";
      if (x < this.width - 10) context.fillText(text, x, HEIGHT + 12);
    }
  }
}
