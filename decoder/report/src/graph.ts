// A tree of boxes on a canvas: flame graph (the root at the bottom) or icicle graph (the root on top).
// Invariant: the root fills the width, and children's widths add up to their parent's at most. Only boxes that can be seen are laid out, so that
// the number of contexts does not matter.
import { sharp } from "./dom.ts";
import type { Name } from "./names.ts";
import type { Palette } from "./paint.ts";
import type { Tree, Weights } from "./tree.ts";

const ROW = 20;
const NARROWEST = 0.7;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

interface Box { box: number; depth: number; x: number; width: number }

export interface Look { fill: string; text: string; hatched?: boolean; italic?: boolean; dimmed?: boolean }

export interface Scene {
  tree: Tree; weights: Weights; flame: boolean; zoom: number; chosen: number; palette: Palette;
  name(group: number): Name; look(box: number): Look;
}

export interface GraphEvents { hover(box: number | undefined, x: number, y: number): void; choose(box: number): void; zoom(box: number): void; copy(box: number): void }

export class Graph {
  readonly element: HTMLDivElement;
  readonly canvas: HTMLCanvasElement;
  private readonly sizer: HTMLDivElement;
  private scene: Scene | undefined;
  private boxes: Box[] = [];
  private rows = 1;
  private readonly widths = new Map<string, number>();
  private hovered: number | undefined;

  constructor(label: string, private readonly on: GraphEvents) {
    this.element = document.createElement("div");
    this.element.className = "graph";
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", label);
    this.canvas.setAttribute("aria-describedby", "keys");
    this.sizer = document.createElement("div");
    this.sizer.className = "sizer";
    this.sizer.append(this.canvas);
    this.element.append(this.sizer);
    this.element.addEventListener("scroll", () => this.paint(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("click", (event) => this.at(event, (box) => this.on.choose(box)));
    this.canvas.addEventListener("dblclick", (event) => this.at(event, (box) => this.on.zoom(box === this.scene?.zoom ? 0 : box)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  show(scene: Scene): void {
    const first = this.scene === undefined || this.scene.flame !== scene.flame || this.scene.tree !== scene.tree || this.scene.zoom !== scene.zoom;
    this.scene = scene;
    this.draw();
    if (first) this.element.scrollTop = scene.flame ? this.element.scrollHeight : 0;
    this.paint();
  }

  /** Lays the boxes out, then paints them. */
  draw(): void {
    const { scene } = this;
    const width = this.element.clientWidth;
    if (scene === undefined || width === 0) return;
    const { tree, weights } = scene;
    const boxes: Box[] = [];
    const path = tree.path(scene.zoom);
    const above = [0, ...path.slice(0, -1)];
    if (scene.zoom > 0) above.forEach((box, depth) => boxes.push({ box, depth, x: 0, width }));
    const start = scene.zoom > 0 ? path.length : 0;
    const whole = weights.width[scene.zoom];
    const pending: Box[] = [{ box: scene.zoom, depth: start, x: 0, width }];
    let deepest = start;
    while (pending.length > 0) {
      const at = pending.pop()!;
      boxes.push(at);
      deepest = Math.max(deepest, at.depth);
      const children = tree.children.slice(tree.from[at.box], tree.from[at.box + 1]).filter((child) => (weights.width[child] / whole) * width >= NARROWEST);
      children.sort((one, other) => weights.width[other] - weights.width[one] || one - other);
      let x = at.x;
      for (const child of children) {
        const wide = (weights.width[child] / whole) * width;
        pending.push({ box: child, depth: at.depth + 1, x, width: wide });
        x += wide;
      }
    }
    this.boxes = boxes;
    this.rows = deepest + 1;
    this.sizer.style.height = `${Math.max(this.rows * ROW + 4, this.element.clientHeight - 1)}px`;
    this.paint();
  }

  private top(depth: number): number {
    const height = Math.max(this.rows * ROW + 4, this.element.clientHeight - 1);
    return this.scene?.flame ? height - (depth + 1) * ROW - 2 : depth * ROW + 2;
  }

  private paint(): void {
    const { scene, element } = this;
    if (scene === undefined || element.clientWidth === 0) return;
    const [width, height] = [element.clientWidth, element.clientHeight];
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const context = sharp(this.canvas, width, height);
    context.textBaseline = "middle";
    for (const { box, depth, x, width: wide } of this.boxes) {
      const y = this.top(depth) - element.scrollTop;
      if (y < -ROW || y > height) continue;
      const look = scene.look(box);
      context.globalAlpha = look.dimmed ? 0.45 : 1;
      context.fillStyle = look.fill;
      const gap = wide > 3 ? 1 : 0;
      context.fillRect(x, y, wide - gap, ROW - 1);
      if (look.hatched) this.hatch(context, x, y, wide - gap, look.text);
      context.globalAlpha = look.dimmed ? 0.6 : 1;
      if (wide > 24) this.label(context, scene.name(scene.tree.group[box]), x + 5, y + ROW / 2, wide - 9, look);
      context.globalAlpha = 1;
      if (box === scene.chosen && box > 0) {
        context.strokeStyle = scene.palette.text;
        context.lineWidth = 1.5;
        context.strokeRect(x + 0.75, y + 0.75, Math.max(1, wide - gap - 1.5), ROW - 2.5);
      } else if (box === this.hovered) {
        context.strokeStyle = scene.palette.muted;
        context.lineWidth = 1;
        context.strokeRect(x + 0.5, y + 0.5, Math.max(1, wide - gap - 1), ROW - 2);
      }
    }
  }

  private hatch(context: CanvasRenderingContext2D, x: number, y: number, width: number, colour: string): void {
    context.save();
    context.beginPath();
    context.rect(x, y, width, ROW - 1);
    context.clip();
    context.strokeStyle = colour;
    context.globalAlpha *= 0.22;
    context.lineWidth = 1;
    context.beginPath();
    for (let at = x - ROW; at < x + width; at += 6) {
      context.moveTo(at, y + ROW);
      context.lineTo(at + ROW, y);
    }
    context.stroke();
    context.restore();
  }

  private label(context: CanvasRenderingContext2D, name: Name, x: number, y: number, room: number, look: Look): void {
    context.font = look.italic ? `italic ${FONT}` : FONT;
    context.fillStyle = look.text;
    const measure = (text: string) => {
      const key = context.font + text;
      let width = this.widths.get(key);
      if (width === undefined) this.widths.set(key, (width = context.measureText(text).width));
      return width;
    };
    const fitting = [name.full, name.short, name.last].find((text) => measure(text) <= room);
    if (fitting !== undefined) return void context.fillText(fitting, x, y);
    let [from, to] = [0, name.last.length];
    while (from < to) {
      const middle = Math.ceil((from + to) / 2);
      if (measure(`${name.last.slice(0, middle)}…`) <= room) from = middle;
      else to = middle - 1;
    }
    if (from > 1) context.fillText(`${name.last.slice(0, from)}…`, x, y);
  }

  private find(event: MouseEvent): number | undefined {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top + this.element.scrollTop];
    return this.boxes.find((box) => x >= box.x && x < box.x + box.width && y >= this.top(box.depth) && y < this.top(box.depth) + ROW)?.box;
  }

  private at(event: MouseEvent, act: (box: number) => void): void {
    const box = this.find(event);
    if (box !== undefined) act(box);
  }

  private hover(event: PointerEvent): void {
    const box = this.find(event);
    if (box !== this.hovered) {
      this.hovered = box;
      this.paint();
    }
    this.canvas.style.cursor = box === undefined ? "default" : "pointer";
    this.on.hover(box, event.clientX, event.clientY);
  }

  private leave(): void {
    this.hovered = undefined;
    this.paint();
    this.on.hover(undefined, 0, 0);
  }

  private key(event: KeyboardEvent): void {
    const { scene } = this;
    if (scene === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree, weights, chosen } = scene;
    const heavy = (parent: number) =>
      [...tree.children.subarray(tree.from[parent], tree.from[parent + 1])].filter((box) => weights.width[box] > 0).sort((one, other) => weights.width[other] - weights.width[one] || one - other);
    const siblings = (step: number) => {
      if (chosen === 0) return undefined;
      const all = heavy(tree.parent[chosen]);
      return all[all.indexOf(chosen) + step];
    };
    const [towards, away] = scene.flame ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    const moves: Record<string, () => number | undefined> = {
      [towards]: () => heavy(chosen)[0], [away]: () => (chosen > 0 ? tree.parent[chosen] : undefined),
      ArrowLeft: () => siblings(-1), ArrowRight: () => siblings(1), Home: () => 0,
    };
    if (moves[event.key]) {
      const box = moves[event.key]();
      if (box !== undefined) {
        this.on.choose(box);
        this.reveal(box);
      }
    } else if (event.key === "Enter") this.on.zoom(chosen);
    else if (event.key === "Escape" || event.key === "Backspace") this.on.zoom(event.key === "Escape" ? 0 : tree.parent[scene.zoom]);
    else if (event.key === "c") this.on.copy(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private reveal(box: number): void {
    const depth = this.scene!.tree.path(box).length;
    const [top, view] = [this.top(depth), this.element];
    if (top < view.scrollTop) view.scrollTop = top - ROW;
    if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + 2 * ROW - view.clientHeight;
  }
}
