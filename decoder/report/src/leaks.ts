// What the leak detector suspects: each context with its curve over old collections, and its stack.
import { exact, seconds, short, whole } from "./amounts.ts";
import type { Data, Leak } from "./data.ts";
import { h } from "./dom.ts";
import { copying, list, stack } from "./panel.ts";

const [WIDTH, HEIGHT] = [320, 72];

export function leaks(data: Data): HTMLElement {
  const seen = data.collections ?? 0;
  const now = data.leaks.filter((leak) => leak.withdrawn === null).length;
  const collections = `${whole(seen)} old ${seen === 1 ? "collection" : "collections"}`;
  const intro = `${now === 1 ? "1 suspect" : `${whole(now)} suspects`}, ${whole(data.leaks.length - now)} withdrawn, after ${collections}. Bytes and objects are estimates from samples; contexts are exact.`;
  return h("div", { class: "leaks", tabindex: 0, role: "region", "aria-label": "Leaks" }, [h("p", { class: "intro" }, intro), ...data.leaks.map((leak) => card(data, leak))]);
}

function card(data: Data, leak: Leak): HTMLElement {
  const [time, , bytes, objects, generations, growth] = leak.history[leak.history.length - 1].map(BigInt);
  const amount = (value: bigint, unit: "bytes" | "count") => h("data", { value: value.toString(), title: exact(value, unit) }, short(value, unit));
  const lines = stack(data, leak.node);
  const facts: [string, (Node | string)[]][] = [
    ["Alive", [amount(bytes, "bytes"), " in ", amount(objects, "count"), " objects"]], ["Grows by", [amount(growth, "bytes"), " each old collection"]],
    ["Born in", [amount(generations, "count"), " generations"]], ["Last seen", [`after ${seconds(Number(time))}`]],
  ];
  if (leak.withdrawn !== null) facts.push(["Withdrawn", [`after ${seconds(Number(leak.withdrawn))}: it has stopped to grow`]]);
  return h("article", { class: leak.withdrawn === null ? "leak" : "leak withdrawn" }, [
    h("div", {}, [h("h2", {}, [leak.class, " ", h("span", { class: "where" }, leak.context)]), h("dl", { class: "facts" }, facts.flatMap(([term, parts]) => [h("dt", {}, term), h("dd", {}, parts)])), curve(leak)]),
    h("div", { class: "stack" }, [list(lines), h("div", { class: "actions" }, copying(lines))]),
  ]);
}

const svg = (tag: string, attributes: Record<string, string | number>, children: (Node | string)[] = []) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
};

/** Bytes that were alive, by old collection. */
function curve(leak: Leak): Element {
  const points = leak.history.map(([, collection, bytes]) => [Number(collection), Number(bytes)]);
  const [first, last] = [points[0][0], points[points.length - 1][0]];
  const most = Math.max(1, ...points.map(([, bytes]) => bytes));
  const x = (collection: number) => 4 + ((collection - first) / Math.max(1, last - first)) * (WIDTH - 8);
  const y = (bytes: number) => HEIGHT - 18 - (Math.max(0, bytes) / most) * (HEIGHT - 26);
  const line = points.map(([collection, bytes]) => `${x(collection).toFixed(1)},${y(bytes).toFixed(1)}`).join(" ");
  const text = `From ${short(points[0][1], "bytes")} at old collection ${first} to ${short(points[points.length - 1][1], "bytes")} at ${last}`;
  return svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": text }, [
    svg("title", {}, [text]),
    svg("polygon", { class: "area", points: `${x(first)},${HEIGHT - 18} ${line} ${x(last)},${HEIGHT - 18}` }),
    svg("polyline", { class: "line", points: line }),
    ...points.map(([collection, bytes]) => svg("circle", { class: "dot", cx: x(collection), cy: y(bytes), r: points.length > 40 ? 0.8 : 2 })),
    svg("text", { x: 4, y: HEIGHT - 4 }, [`old collection ${first}`]),
    svg("text", { x: WIDTH - 4, y: HEIGHT - 4, "text-anchor": "end" }, [String(last)]),
  ]);
}
