// What is known about the chosen box: its amounts, its stack, and how it has changed.
import { type Amount, type Unit, exact, share, short } from "./amounts.ts";
import type { Data } from "./data.ts";
import { breakable, copy, h } from "./dom.ts";
import { located, place } from "./names.ts";
import { type Answer, change } from "./query.ts";
import type { Tree, Weights } from "./tree.ts";

export interface Actions { zoom(): void; callers(full: string): void; only(name: string): void }

/** A line of a stack: as Java prints it, and in parts. */
export interface Line { text: string; name: string; where: string; sort: "frame" | "mark" | "class" }

/** The stack of a box, innermost frame first. */
export function trace(data: Data, answer: Answer, tree: Tree, box: number): Line[] {
  const lines: Line[] = [];
  // Where lines are joined, a box has no line of its own.
  const precise = answer.groups.by !== "method" && tree === answer.tree;
  for (let at = box; at > 0; at = tree.parent[at]) {
    const { full, short, sort, package: where } = answer.groups.name(tree.group[at]);
    if (sort === "class") lines.push({ text: `of ${full}`, name: full, where: "", sort: "class" });
    else if (sort === "mark") lines.push({ text: full, name: full, where: "", sort: "mark" });
    else if (!precise) lines.push({ text: `at ${full}`, name: short, where, sort: "frame" });
    else lines.push(frame(data, data.frameOf[answer.stack[at]]));
  }
  return lines;
}

/** The stack of a node of the data. */
export function stack(data: Data, node: number): Line[] {
  const lines: Line[] = [];
  for (let at = node; at > 0; at = data.parents[at]) lines.push(frame(data, data.frameOf[at]));
  return lines;
}

function frame(data: Data, frame: number): Line {
  const text = located(data, frame);
  if (text.startsWith("[")) return { text, name: text, where: "", sort: "mark" };
  const [type, method] = [data.strings[data.frames.class[frame]], data.strings[data.frames.method[frame]]];
  return { text: `at ${text}`, name: type === "" ? method : `${type.slice(type.lastIndexOf(".") + 1)}.${method}`, where: place(data, frame), sort: "frame" };
}

/** A list of the lines. */
export function list(lines: Line[]): HTMLElement {
  return h("ol", { class: "trace", tabindex: 0, "aria-label": "Stack, innermost first" }, lines.map(({ text, name, where, sort }) =>
    h("li", { class: sort, title: text }, [h("span", {}, breakable(name)), " ", h("span", { class: "where" }, where)])));
}

/** A button that copies the lines, and says so. */
export function copying(lines: Line[]): [HTMLElement, HTMLElement] {
  const said = h("span", { role: "status", class: "said" });
  const text = lines.map((line) => line.text).join("\n");
  return [h("button", { type: "button" }, "Copy stack", { click: async () => { said.textContent = (await copy(text)) ? "Copied." : "The browser does not allow it."; } }), said];
}

export class Panel {
  readonly element = h("aside", { class: "panel", "aria-label": "Chosen box", tabindex: 0 });

  show(data: Data, answer: Answer, tree: Tree, weights: Weights, box: number, unit: Unit, actions: Actions): void {
    const name = answer.groups.name(tree.group[box]);
    const amount = (value: Amount) => h("data", { value: value.toString(), title: exact(value, unit) }, short(value, unit));
    const facts: [string, (Node | string)[]][] = [];
    const pair = { own: weights.total[box], base: weights.base?.[box] ?? 0 };
    facts.push([answer.compared ? "New" : "Total", [amount(pair.own), ` ${share(pair.own, answer.total.own)}`]]);
    if (answer.compared) {
      const { change: how, delta } = change(pair, answer.divisors);
      facts.push(["Old", [amount(pair.base), ` ${share(pair.base, answer.total.base)}`]]);
      facts.push(["Change", Number.isNaN(Number(delta)) ? ["unknown here"] : [h("data", { value: delta.toString(), class: how }, `${Number(delta) > 0 ? "+" : ""}${short(delta, unit)}`), ` ${how}`]]);
    } else if (box > 0) facts.push(["Self", [amount(weights.self[box]), ` ${share(weights.self[box], answer.total.own)}`]]);
    const lines = trace(data, answer, tree, box);
    const head = tree.group[box] < 0 ? "All stacks" : name.full;
    const button = (text: string, act: () => void) => h("button", { type: "button" }, text, { click: act });
    this.element.replaceChildren(
      h("h2", { title: head }, breakable(head)),
      h("dl", { class: "facts" }, facts.flatMap(([term, parts]) => [h("dt", {}, term), h("dd", {}, parts)])),
      ...(box === 0
        ? [h("p", { class: "hint" }, "Click a box to see its stack. A double click zooms. Press ? for keys.")]
        : [h("div", { class: "actions" }, [
            button("Zoom in", actions.zoom),
            name.sort === "class" ? button("Only this class", () => actions.only(name.full)) : name.sort !== "mark" && button("Callers and callees", () => actions.callers(name.full)),
            ...copying(lines),
          ]), list(lines)]),
    );
  }
}
