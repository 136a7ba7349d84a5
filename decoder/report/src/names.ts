// How frames read, and which are one: by method, by line, or by the index of the instruction.
// Invariant: groups are numbered from 0; the numbers behind the last one mean classes, which stand as innermost boxes.
import { type Data, MARK, NATIVE, WALKED } from "./data.ts";
import type { Group } from "./state.ts";

/** What a box is, which decides its colour. */
export type Sort = "own" | "jdk" | "native" | "mark" | "class" | "root";

export interface Name {
  /** `com.acme.Orders.price`, with `:41` where lines are apart. */
  full: string;
  /** `Orders.price`. */
  short: string;
  /** `price`. */
  last: string;
  package: string;
  sort: Sort;
  walked: boolean;
}

const JDK = /^(java|javax|jdk|sun|com\.sun)\./;

export class Groups {
  /** The group of each frame. */
  readonly of: Uint32Array;
  readonly length: number;
  /** A frame of each group. */
  private readonly frames: number[] = [];
  private readonly names = new Map<number, Name>();
  /** How many groups read alike without their parameters. */
  private readonly overloads = new Map<string, number>();

  constructor(private readonly data: Data, readonly by: Group, readonly normal: boolean) {
    const { frames } = data;
    const known = new Map<string, number>();
    this.of = new Uint32Array(frames.kind.length);
    for (let frame = 0; frame < this.of.length; frame++) {
      const parts = this.fields().map((field) => field[frame]);
      if (by === "line") parts.push(frames.line[frame], frames.kind[frame] === NATIVE ? 1 : 0);
      const key = by === "bci" ? String(frame) : parts.join();
      let group = known.get(key);
      if (group === undefined) {
        group = this.frames.length;
        known.set(key, group);
        this.frames.push(frame);
      }
      this.of[frame] = group;
    }
    this.length = this.frames.length;
    for (let group = 0; group < this.length; group++) {
      const key = this.key(group);
      this.overloads.set(key, (this.overloads.get(key) ?? 0) + 1);
    }
  }

  private key(group: number): string {
    const [type, method] = this.fields();
    const frame = this.frames[group];
    return `${type[frame]},${method[frame]},${this.by === "method" ? 0 : this.data.frames.line[frame]},${this.by === "bci" ? this.data.frames.bci[frame] : 0}`;
  }

  private fields(): [Uint32Array, Uint32Array, Uint32Array] {
    const { frames } = this.data;
    return this.normal ? [frames.normalClass, frames.normalMethod, frames.normalDesc] : [frames.class, frames.method, frames.desc];
  }

  /** The group that is a class. */
  ofClass(name: number): number {
    return this.length + name;
  }

  /** The class that a group is. */
  classOf(group: number): number | undefined {
    return group >= this.length ? group - this.length : undefined;
  }

  /** The groups of methods with this full name. */
  named(full: string): number | undefined {
    for (let group = 0; group < this.length; group++) if (this.name(group).full === full) return group;
    return undefined;
  }

  name(group: number): Name {
    let name = this.names.get(group);
    if (name === undefined) this.names.set(group, (name = this.make(group)));
    return name;
  }

  private make(group: number): Name {
    const { frames, strings } = this.data;
    if (group < 0) return { full: "all", short: "all", last: "all", package: "", sort: "root", walked: false };
    const named = this.classOf(group);
    if (named !== undefined) {
      const full = strings[named];
      const short = full.slice(full.lastIndexOf(".") + 1);
      return { full, short, last: short, package: "", sort: "class", walked: false };
    }
    const frame = this.frames[group];
    const [type, bare, desc] = this.fields().map((field) => strings[field[frame]]);
    const method = this.overloads.get(this.key(group))! > 1 && desc !== "" ? `${bare}(${parameters(desc)})` : bare;
    const kind = frames.kind[frame];
    const dot = type.lastIndexOf(".");
    const where = this.by === "method" ? "" : this.by === "line" ? lineOf(frames.line[frame]) : `${lineOf(frames.line[frame])}${frames.bci[frame] > 0 ? `@${frames.bci[frame] - 1}` : ""}`;
    const sort: Sort = kind === MARK ? "mark" : kind === NATIVE ? "native" : JDK.test(`${type}.`) ? "jdk" : "own";
    if (type === "") return { full: method, short: method, last: method, package: "", sort, walked: false };
    return {
      full: `${type}.${method}${where}`, short: `${type.slice(dot + 1)}.${method}${where}`, last: method + where,
      package: dot < 0 ? "" : type.slice(0, dot), sort, walked: kind === WALKED || kind === NATIVE,
    };
  }
}

const PRIMITIVES: Record<string, string> = { B: "byte", C: "char", D: "double", F: "float", I: "int", J: "long", S: "short", Z: "boolean" };

/** The parameters of a descriptor, each by the last part of its class's name. */
function parameters(desc: string): string {
  const texts: string[] = [];
  for (const [, arrays, primitive, type] of desc.slice(1, desc.lastIndexOf(")")).matchAll(/(\[*)(?:([BCDFIJSZ])|L([^;]*);)/g)) {
    texts.push((primitive ? PRIMITIVES[primitive] : type.slice(type.lastIndexOf("/") + 1)) + "[]".repeat(arrays.length));
  }
  return texts.join(", ");
}

const lineOf = (line: number): string => (line > 0 ? `:${line - 1}` : "");

/** The file and line of a frame, as a Java stack trace has them. */
export function place(data: Data, frame: number): string {
  const { frames, strings } = data;
  const [file, line] = [strings[frames.file[frame]], frames.line[frame] - 1];
  if (frames.kind[frame] === MARK) return "";
  if (frames.kind[frame] === NATIVE) return "Native Method";
  if (file !== "") return line >= 0 ? `${file}:${line}` : file;
  return line >= 0 ? `line ${line}` : "Unknown Source";
}

/** As a Java stack trace has it. */
export function located(data: Data, frame: number): string {
  const { frames, strings } = data;
  const [type, method] = [strings[frames.class[frame]], strings[frames.method[frame]]];
  const name = type === "" ? method : `${type}.${method}`;
  return frames.kind[frame] === MARK ? method : `${name}(${place(data, frame)})`;
}
