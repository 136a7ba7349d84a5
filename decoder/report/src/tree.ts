// Trees of boxes, and what each weighs.
// Invariant: box 0 is the root, and a box's parent has a smaller number. A box's total is its own amount and its children's totals. The width
// of a box is the sum of sizes below it, so that negative and vanished amounts have a width as well.
import { type Amount, type Amounts, abs, add, zeros } from "./amounts.ts";

/** Makes a tree; boxes with equal parents and groups are one. */
export class Builder {
  readonly parents = [0];
  readonly groups = [-1];
  private readonly known = new Map<number, number>();

  constructor(private readonly most: number, root = -1) {
    this.groups[0] = root;
  }

  child(parent: number, group: number): number {
    const key = parent * this.most + group;
    let box = this.known.get(key);
    if (box === undefined) {
      box = this.parents.length;
      this.parents.push(parent);
      this.groups.push(group);
      this.known.set(key, box);
    }
    return box;
  }
}

export class Tree {
  readonly parent: Uint32Array;
  readonly group: Int32Array;
  readonly length: number;
  /** The children of box `i` are `children[from[i]]` up to `children[from[i + 1]]`. */
  readonly from: Uint32Array;
  readonly children: Uint32Array;

  constructor(builder: Builder) {
    this.parent = Uint32Array.from(builder.parents);
    this.group = Int32Array.from(builder.groups);
    this.length = this.parent.length;
    this.from = new Uint32Array(this.length + 1);
    for (let box = 1; box < this.length; box++) this.from[this.parent[box] + 1]++;
    for (let box = 0; box < this.length; box++) this.from[box + 1] += this.from[box];
    this.children = new Uint32Array(Math.max(0, this.length - 1));
    const next = this.from.slice();
    for (let box = 1; box < this.length; box++) this.children[next[this.parent[box]]++] = box;
  }

  /** Boxes from the root's child to this one. */
  path(box: number): number[] {
    const path = [];
    for (let at = box; at > 0; at = this.parent[at]) path.push(at);
    return path.reverse();
  }

  /** For each box: does none below it have the same group? Sums over those count nothing twice. */
  outermost(): Uint8Array {
    const result = new Uint8Array(this.length);
    const open = new Map<number, number>();
    // A box whose work is done is met again as its complement.
    const stack = [0];
    while (stack.length > 0) {
      const next = stack.pop()!;
      const box = next < 0 ? ~next : next;
      const group = this.group[box];
      if (next < 0) {
        open.set(group, open.get(group)! - 1);
        continue;
      }
      const count = open.get(group) ?? 0;
      result[box] = count === 0 ? 1 : 0;
      open.set(group, count + 1);
      stack.push(~box);
      for (let at = this.from[box]; at < this.from[box + 1]; at++) stack.push(this.children[at]);
    }
    return result;
  }
}

/** The amounts of a tree: those of the run, and in a comparison those of the older one. */
export interface Weights {
  self: Amounts;
  total: Amounts;
  baseSelf: Amounts | undefined;
  base: Amounts | undefined;
  width: Float64Array;
}

/** `scale` and `baseScale` divide amounts for widths alone. */
export function weigh(tree: Tree, self: Amounts, baseSelf: Amounts | undefined, big: boolean, scale = 1, baseScale = 1): Weights {
  const total = zeros(tree.length, big);
  const base = baseSelf && zeros(tree.length, big);
  const width = new Float64Array(tree.length);
  for (let box = tree.length - 1; box >= 0; box--) {
    total[box] = add(total[box], self[box]);
    let size = Number(abs(self[box])) / scale;
    if (base && baseSelf) {
      base[box] = add(base[box], baseSelf[box]);
      size = Math.max(size, Number(abs(baseSelf[box])) / baseScale);
    }
    width[box] += size;
    if (box > 0) {
      const parent = tree.parent[box];
      total[parent] = add(total[parent], total[box]);
      if (base) base[parent] = add(base[parent], base[box]);
      width[parent] += width[box];
    }
  }
  return { self, total, baseSelf, base, width };
}

/** The sum over some boxes. */
export function sum(amounts: Amounts, zero: Amount, boxes: (box: number) => boolean): Amount {
  let all = zero;
  for (let box = 0; box < amounts.length; box++) if (boxes(box)) all = add(all, amounts[box]);
  return all;
}
