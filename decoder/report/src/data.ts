// The data of the report: names, stacks, sums and their bins of time.
// Invariant: columns are read in the order in which decoder/src/report/pack.rs writes them. A node's parent stands before it; node 0 is the
// empty stack. Numbers beyond what JavaScript counts exactly are BigInts.
import type { Amount } from "./amounts.ts";

export interface Run { agent: string; jvm: string; pid: number; host: string; options: string; begin: string }
export interface Side { title: string; runs: Run[]; offset: string; length: string; bins: number }
export interface Kind { label: string; name: string; agents: boolean; unit: "bytes" | "nanoseconds" | "count"; interval: number | null; recorded: boolean[]; big: boolean }

/** A context that the leak detector suspects, or did. Of each look: time, old collections, bytes, objects, generations, growth. */
export interface Leak { context: string; class: string; node: number; withdrawn: string | null; history: string[][] }

interface Head {
  collections: number | null; leaks: Leak[];
  writer: string; per: { glob: string; calls: string[] } | null; sides: Side[]; kinds: Kind[]; strings: string[];
  frames: number; nodes: number; sums: number; shift: number;
}

/** Frames by number; names and files are numbers of strings, 0 for none. Lines and indices stand one higher, 0 for none. */
export interface Frames {
  class: Uint32Array; method: Uint32Array; desc: Uint32Array; file: Uint32Array; line: Uint32Array; bci: Uint32Array; kind: Uint8Array;
  /** Without what a compiler or the JVM numbers anew in each run: frames are joined by these in a comparison. */
  normalClass: Uint32Array; normalMethod: Uint32Array; normalDesc: Uint32Array;
}

/** Sums by number. What has no time stands in `count` and `value`; the rest in the bins from `bins[i]` to `bins[i + 1]`. */
export interface Sums {
  length: number; side: Uint8Array; kind: Uint32Array; own: Uint32Array; whole: Uint32Array; class: Uint32Array; thread: Uint32Array;
  count: Amount[]; value: Amount[]; bins: Uint32Array;
}

export interface Data extends Omit<Head, "frames" | "nodes" | "sums"> {
  frames: Frames; parents: Uint32Array; frameOf: Uint32Array; sums: Sums;
  binAt: Uint32Array; binCount: Amount[]; binValue: Amount[];
}

export const MARK = 3;
export const NATIVE = 2;
export const WALKED = 1;

/** Reads what stands in the page. */
export async function read(base64: string): Promise<Data> {
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) packed[at] = text.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head: Head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return columns(head, new Numbers(bytes, 4 + length));
}

function columns(head: Head, numbers: Numbers): Data {
  const small = (length: number) => numbers.fill(new Uint32Array(length));
  const [of, method, desc, file, line, bci] = Array.from({ length: 6 }, () => small(head.frames));
  const frameKind = Uint8Array.from(small(head.frames));
  const [normalClass, normalMethod, normalDesc] = Array.from({ length: 3 }, () => small(head.frames));
  const frames: Frames = { class: of, method, desc, file, line, bci, kind: frameKind, normalClass, normalMethod, normalDesc };
  const parents = new Uint32Array(head.nodes + 1), frameOf = new Uint32Array(head.nodes + 1);
  for (let node = 1; node <= head.nodes; node++) parents[node] = node - numbers.small();
  for (let node = 1; node <= head.nodes; node++) frameOf[node] = numbers.small();
  const side = Uint8Array.from(small(head.sums));
  const [kind, own, whole, classes, thread] = Array.from({ length: 5 }, () => small(head.sums));
  const big = head.kinds.map((kind) => kind.big);
  const bigSum = (sum: number) => big[kind[sum]];
  const each = (length: number, isBig: (at: number) => boolean, read: () => Amount): Amount[] => {
    const amounts = new Array<Amount>(length);
    for (let at = 0; at < length; at++) amounts[at] = isBig(at) ? BigInt(read()) : read();
    return amounts;
  };
  const [whole1, signed] = [() => numbers.amount(), () => numbers.signed()];
  const count = each(head.sums, bigSum, whole1), value = each(head.sums, bigSum, signed);
  const bins = new Uint32Array(head.sums + 1);
  for (let sum = 0; sum < head.sums; sum++) bins[sum + 1] = bins[sum] + numbers.small();
  const total = bins[head.sums];
  const [binAt, binIsBig] = [new Uint32Array(total), new Uint8Array(total)];
  for (let sum = 0; sum < head.sums; sum++) {
    let at = 0;
    for (let bin = bins[sum]; bin < bins[sum + 1]; bin++) {
      at += numbers.small();
      binAt[bin] = at;
      binIsBig[bin] = bigSum(sum) ? 1 : 0;
    }
  }
  const bigBin = (bin: number) => binIsBig[bin] === 1;
  const binCount = each(total, bigBin, whole1), binValue = each(total, bigBin, signed);
  const sums = { length: head.sums, side, kind, own, whole, class: classes, thread, count, value, bins };
  return { ...head, frames, parents, frameOf, sums, binAt, binCount, binValue };
}

/** Whole numbers, seven bits a byte, the lowest first. */
class Numbers {
  constructor(private readonly bytes: Uint8Array, private at: number) {}

  /** Below 2^53. */
  small(): number {
    let [number, factor, byte] = [0, 1, 0];
    do {
      byte = this.bytes[this.at++];
      number += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte & 0x80);
    return number;
  }

  fill(numbers: Uint32Array): Uint32Array {
    for (let at = 0; at < numbers.length; at++) numbers[at] = this.small();
    return numbers;
  }

  amount(): Amount {
    const begin = this.at;
    while (this.bytes[this.at++] & 0x80);
    const end = this.at;
    if (end - begin <= 7) {
      this.at = begin;
      return this.small();
    }
    let number = 0n;
    for (let at = end - 1; at >= begin; at--) number = (number << 7n) | BigInt(this.bytes[at] & 0x7f);
    return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number;
  }

  /** 0, -1, 1, -2. */
  signed(): Amount {
    const number = this.amount();
    if (typeof number === "number") return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    return number % 2n === 0n ? number / 2n : -(number + 1n) / 2n;
  }
}
