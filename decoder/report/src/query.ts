// The sums that are looked at, as a tree and by method and class.
// Invariant: each sum of the kind counts once; a timeline's selection takes only what has a time. What depends on less than the whole state
// is kept for the next one.
import { type Amount, abs, add, zero, zeros } from "./amounts.ts";
import type { Data, Kind } from "./data.ts";
import { Groups } from "./names.ts";
import type { Group, State } from "./state.ts";
import { Builder, Tree, type Weights, weigh } from "./tree.ts";

/** The tree of a kind, and the box of each of its sums. */
interface Shape { tree: Tree; groups: Groups; sums: Uint32Array; boxes: Uint32Array; outermost: Uint8Array; stack: Uint32Array }

/** An amount of the run, and in a comparison of the older one. */
export interface Pair { own: Amount; base: Amount }

/** A method or class by its group, or a thread by the number of its name. */
export interface Row extends Pair { group: number; self: Amount; baseSelf: Amount }

export interface Answer {
  kind: Kind; groups: Groups; tree: Tree; weights: Weights; big: boolean; compared: boolean;
  /** What amounts of each run are divided by; 1 for nothing, 0 where it is not known. */
  divisors: [number, number];
  total: Pair;
  /** Without any choice but the kind. */
  whole: Pair;
  /** What has no time, and stands in no selection of the timeline. */
  untimed: Amount;
  /** A stack of data for each box, in which its frames are found; 0 for a class. */
  stack: Uint32Array;
  outermost: Uint8Array;
  /** The sums of each thread, by the number of its name. */
  threads: Map<number, Pair>;
}

export class Query {
  private readonly groups = new Map<string, Groups>();
  private readonly shapes = new Map<string, Shape>();
  readonly compared: boolean;

  /** Is there a stack whose task or thread came from another one? */
  readonly hasOrigins: boolean;
  private readonly sums: Pair[];

  constructor(readonly data: Data) {
    this.compared = data.sides.length > 1;
    this.hasOrigins = data.sums.own.some((own, sum) => own !== data.sums.whole[sum]);
    this.sums = data.kinds.map((kind) => ({ own: zero(kind.big), base: zero(kind.big) }));
    for (let sum = 0; sum < data.sums.length; sum++) {
      const kind = data.sums.kind[sum];
      const amount = this.amount(sum, false, 0, 0, data.kinds[kind].big);
      const of = this.sums[kind];
      if (data.sums.side[sum] === 1) of.base = add(of.base, amount);
      else of.own = add(of.own, amount);
    }
  }

  /** All that a kind has. */
  totals(kind: number): Pair {
    return this.sums[kind];
  }

  kind(state: State): number {
    const at = this.data.kinds.findIndex((kind) => kind.label === state.kind);
    return at < 0 ? (this.shown()[0] ?? 0) : at;
  }

  /** The kinds that have a tab: what the leak detector says has a view of its own. */
  shown(): number[] {
    const all = this.data.kinds.map((_, at) => at);
    const others = all.filter((at) => !(this.data.kinds[at].agents && this.data.kinds[at].name.startsWith("leak")));
    return others.length > 0 ? others : all;
  }

  groupsBy(group: Group): Groups {
    const by = this.compared ? "method" : group;
    let groups = this.groups.get(by);
    if (groups === undefined) this.groups.set(by, (groups = new Groups(this.data, by, this.compared)));
    return groups;
  }

  private shape(kind: number, origins: boolean, group: Group): Shape {
    const key = `${kind} ${origins} ${group}`;
    let shape = this.shapes.get(key);
    if (shape === undefined) this.shapes.set(key, (shape = this.makeShape(kind, origins, this.groupsBy(group))));
    return shape;
  }

  private makeShape(kind: number, origins: boolean, groups: Groups): Shape {
    const { sums, parents, frameOf, strings } = this.data;
    const nodeOf = origins ? sums.whole : sums.own;
    const used = new Uint8Array(parents.length);
    const chosen: number[] = [];
    for (let sum = 0; sum < sums.length; sum++) {
      if (sums.kind[sum] !== kind) continue;
      chosen.push(sum);
      for (let node = nodeOf[sum]; node > 0 && !used[node]; node = parents[node]) used[node] = 1;
    }
    const builder = new Builder(groups.length + strings.length);
    const boxOf = new Uint32Array(parents.length);
    const stacks = [0];
    for (let node = 1; node < parents.length; node++) {
      if (!used[node]) continue;
      const box = builder.child(boxOf[parents[node]], groups.of[frameOf[node]]);
      boxOf[node] = box;
      if (box === stacks.length) stacks.push(node);
    }
    const boxes = Uint32Array.from(chosen, (sum) => {
      const box = boxOf[nodeOf[sum]];
      if (sums.class[sum] === 0) return box;
      const leaf = builder.child(box, groups.ofClass(sums.class[sum]));
      if (leaf === stacks.length) stacks.push(0);
      return leaf;
    });
    const tree = new Tree(builder);
    return { tree, groups, sums: Uint32Array.from(chosen), boxes, outermost: tree.outermost(), stack: Uint32Array.from(stacks) };
  }

  /** What a sum adds: all of it, or what lies in the selected bins. */
  private amount(sum: number, events: boolean, from: number, to: number, big: boolean): Amount {
    const { sums, binAt, binCount, binValue } = this.data;
    const amounts = events ? binCount : binValue;
    const all = to <= from;
    let amount = all ? (events ? sums.count[sum] : sums.value[sum]) : zero(big);
    for (let bin = sums.bins[sum]; bin < sums.bins[sum + 1]; bin++) {
      if (all || (binAt[bin] >= from && binAt[bin] < to)) amount = add(amount, amounts[bin]);
    }
    return amount;
  }

  /** The calls of a method that each run has counted. */
  invocations(full: string): [number, number] {
    const { data } = this;
    const result: [number, number] = [0, 0];
    const kind = data.kinds.findIndex((kind) => kind.agents && kind.name === "entry");
    for (let sum = 0; sum < data.sums.length; sum++) {
      const frame = data.frameOf[data.sums.own[sum]];
      if (data.sums.kind[sum] !== kind || data.sums.own[sum] === 0) continue;
      const name = `${data.strings[data.frames.class[frame]]}.${data.strings[data.frames.method[frame]]}`;
      if (name === full) result[data.sums.side[sum]] += Number(this.amount(sum, true, 0, 0, data.kinds[kind].big));
    }
    return result;
  }

  /** The methods whose calls were counted. */
  counted(): string[] {
    const { data } = this;
    const kind = data.kinds.findIndex((kind) => kind.agents && kind.name === "entry");
    const names = new Set<string>();
    for (let sum = 0; sum < data.sums.length; sum++) {
      const frame = data.frameOf[data.sums.own[sum]];
      if (data.sums.kind[sum] === kind && data.sums.own[sum] > 0) names.add(`${data.strings[data.frames.class[frame]]}.${data.strings[data.frames.method[frame]]}`);
    }
    return [...names].sort();
  }

  private divisors(state: State): [number, number] {
    if (!this.compared || state.per === "") return [1, 1];
    // Those that the command line named are a glob, and counted already.
    const { per } = this.data;
    if (per !== null && state.per === per.glob) return [Number(per.calls[0]), Number(per.calls[1])];
    if (state.per !== "second") return this.invocations(state.per);
    const all = state.to <= state.from;
    const ns = this.data.sides.map((side, at) => (all ? Number(side.length) : this.edge(at, state.to) - this.edge(at, state.from)));
    return [ns[0] / 1e9, ns[1] / 1e9];
  }

  /** Nanoseconds from the beginning of a run to that of a bin. */
  edge(side: number, bin: number): number {
    return Math.max(0, bin * 2 ** this.data.shift - Number(this.data.sides[side].offset));
  }

  /** Have both runs recorded a kind? */
  comparable(kind: number): boolean {
    return this.compared && this.data.kinds[kind].recorded.every((recorded) => recorded);
  }

  /** Does a sum have the class and the thread that alone count? */
  private chooses(state: State): (sum: number) => boolean {
    const { strings, sums } = this.data;
    // A name that is not there is no sum's.
    const [ofClass, ofThread] = [state.class, state.thread].map((name) => (name === "" ? undefined : strings.indexOf(name)));
    return (sum) => (ofClass === undefined || sums.class[sum] === ofClass) && (ofThread === undefined || sums.thread[sum] === ofThread);
  }

  answer(state: State): Answer {
    const at = this.kind(state);
    const kind = this.data.kinds[at];
    const compared = this.comparable(at);
    const { tree, groups, sums, boxes, outermost, stack } = this.shape(at, state.origins, state.group);
    const big = kind.big;
    const self = zeros(tree.length, big);
    const baseSelf = compared ? zeros(tree.length, big) : undefined;
    const whole: Pair = { own: zero(big), base: zero(big) };
    let untimed = zero(big);
    const { data } = this;
    const chosen = this.chooses(state);
    const threads = new Map<number, Pair>();
    for (let nth = 0; nth < sums.length; nth++) {
      const sum = sums[nth];
      const all = this.amount(sum, state.events, 0, 0, big);
      const base = data.sums.side[sum] === 1;
      if (base && !compared) continue;
      if (base) whole.base = add(whole.base, all);
      else whole.own = add(whole.own, all);
      if (!base) untimed = add(untimed, state.events ? data.sums.count[sum] : data.sums.value[sum]);
      if (!chosen(sum)) continue;
      const amount = state.to <= state.from ? all : this.amount(sum, state.events, state.from, state.to, big);
      const into = base ? baseSelf! : self;
      into[boxes[nth]] = add(into[boxes[nth]], amount);
      const thread = threads.get(data.sums.thread[sum]) ?? { own: zero(big), base: zero(big) };
      threads.set(data.sums.thread[sum], base ? { ...thread, base: add(thread.base, amount) } : { ...thread, own: add(thread.own, amount) });
    }
    const divisors = this.divisors(state);
    const weights = weigh(tree, self, baseSelf, big, divisors[0] || 1, divisors[1] || 1);
    const total = { own: weights.total[0], base: weights.base?.[0] ?? zero(big) };
    return { kind, groups, tree, weights, big, compared, divisors, total, whole, untimed, stack, outermost, threads };
  }

  /** The bins of the timeline, for each run, by everything but the selection. */
  timeline(state: State): [Float64Array, Float64Array] {
    const at = this.kind(state);
    const { data } = this;
    const bins = Math.max(1, ...data.sides.map((side) => side.bins));
    const result: [Float64Array, Float64Array] = [new Float64Array(bins), new Float64Array(bins)];
    const chosen = this.chooses(state);
    const amounts = state.events ? data.binCount : data.binValue;
    for (let sum = 0; sum < data.sums.length; sum++) {
      if (data.sums.kind[sum] !== at || !chosen(sum)) continue;
      const into = result[data.sums.side[sum]];
      for (let bin = data.sums.bins[sum]; bin < data.sums.bins[sum + 1]; bin++) into[data.binAt[bin]] += Number(amounts[bin]);
    }
    return result;
  }
}

/** Sums by group: of methods, or of classes. A method that calls itself counts once. */
export function rows(answer: Answer, classes: boolean): Row[] {
  const { tree, weights, outermost, groups, big } = answer;
  const found = new Map<number, Row>();
  const none = zero(big);
  for (let box = 1; box < tree.length; box++) {
    const group = tree.group[box];
    if ((groups.classOf(group) !== undefined) !== classes || weights.width[box] === 0) continue;
    let row = found.get(group);
    if (row === undefined) found.set(group, (row = { group, own: none, base: none, self: none, baseSelf: none }));
    row.self = add(row.self, weights.self[box]);
    if (weights.baseSelf) row.baseSelf = add(row.baseSelf, weights.baseSelf[box]);
    if (!classes) {
      // What a class on top of a method has is the method's own.
      for (let at = tree.from[box]; at < tree.from[box + 1]; at++) {
        const child = tree.children[at];
        if (groups.classOf(tree.group[child]) === undefined) continue;
        row.self = add(row.self, weights.self[child]);
        if (weights.baseSelf) row.baseSelf = add(row.baseSelf, weights.baseSelf[child]);
      }
    }
    if (outermost[box]) {
      row.own = add(row.own, weights.total[box]);
      if (weights.base) row.base = add(row.base, weights.base[box]);
    }
  }
  return [...found.values()];
}

/** Sums by thread; those without any in the selected time are left out. */
export function threadRows(answer: Answer): Row[] {
  const none = zero(answer.big);
  const all = [...answer.threads].map(([group, pair]): Row => ({ group, ...pair, self: none, baseSelf: none }));
  return all.filter(({ own, base }) => Number(own) !== 0 || Number(base) !== 0);
}

/** What is a method's own, of the run. */
export const selfOf = (answer: Answer, group: number): Amount => rows(answer, false).find((row) => row.group === group)?.self ?? zero(answer.big);

/** The tree above a method, or the inverted one of what calls it. */
export function around(answer: Answer, group: number, callers: boolean): { tree: Tree; weights: Weights } {
  const { tree, weights, outermost, groups, big } = answer;
  const builder = new Builder(groups.length + 2 ** 26, group);
  const amounts = new Map<number, Pair>();
  const put = (box: number, own: Amount, base: Amount) => {
    const pair = amounts.get(box) ?? { own: zero(big), base: zero(big) };
    amounts.set(box, { own: add(pair.own, own), base: add(pair.base, base) });
  };
  const into = new Int32Array(tree.length).fill(-1);
  for (let box = 1; box < tree.length; box++) {
    const starts = tree.group[box] === group && outermost[box] === 1;
    if (callers) {
      if (!starts) continue;
      let at = 0;
      for (let caller = tree.parent[box]; caller > 0; caller = tree.parent[caller]) at = builder.child(at, tree.group[caller]);
      put(at, weights.total[box], weights.base?.[box] ?? zero(big));
    } else {
      const parent = into[tree.parent[box]];
      if (starts) into[box] = 0;
      else if (parent >= 0) into[box] = builder.child(parent, tree.group[box]);
      else continue;
      put(into[box], weights.self[box], weights.baseSelf?.[box] ?? zero(big));
    }
  }
  const result = new Tree(builder);
  const [self, base] = [zeros(result.length, big), zeros(result.length, big)];
  for (const [box, pair] of amounts) [self[box], base[box]] = [pair.own, pair.base];
  return { tree: result, weights: weigh(result, self, answer.compared ? base : undefined, big, ...answer.divisors.map((one) => one || 1)) };
}

/** Which boxes have a match below them or are one, and what they hold. */
export function search(answer: Answer, text: string): { hits: Uint8Array; sum: Pair } | undefined {
  if (text === "") return undefined;
  const wanted = text.toLowerCase();
  const { tree, groups, weights, big } = answer;
  const matches = new Map<number, boolean>();
  const hits = new Uint8Array(tree.length);
  let [own, base] = [zero(big), zero(big)];
  const within = new Uint8Array(tree.length);
  for (let box = 1; box < tree.length; box++) {
    const group = tree.group[box];
    let match = matches.get(group);
    if (match === undefined) matches.set(group, (match = groups.name(group).full.toLowerCase().includes(wanted)));
    hits[box] = match ? 1 : 0;
    within[box] = match || within[tree.parent[box]] ? 1 : 0;
    if (within[box]) {
      own = add(own, weights.self[box]);
      if (weights.baseSelf) base = add(base, weights.baseSelf[box]);
    }
  }
  return { hits, sum: { own, base } };
}

/** How an amount has changed. */
export type Change = "grown" | "shrunk" | "new" | "gone" | "same";

export function change(pair: Pair, divisors: [number, number]): { change: Change; delta: Amount } {
  if (divisors[0] === 0 || divisors[1] === 0) return { change: "same", delta: NaN };
  const exact = divisors[0] === 1 && divisors[1] === 1;
  const delta = exact ? add(pair.own, -pair.base as Amount) : Number(pair.own) / divisors[0] - Number(pair.base) / divisors[1];
  const [own, base] = [Number(abs(pair.own)), Number(abs(pair.base))];
  if (own === 0 && base === 0) return { change: "same", delta };
  if (base === 0) return { change: "new", delta };
  if (own === 0) return { change: "gone", delta };
  return { change: Number(delta) > 0 ? "grown" : Number(delta) < 0 ? "shrunk" : "same", delta };
}
