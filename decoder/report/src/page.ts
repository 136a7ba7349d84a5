// The parts of the page, and which of them follow which part of the state.
// Invariant: the state is the only memory; every part can be drawn from it at any time.
import { type Amount, exact, seconds, share, short } from "./amounts.ts";
import type { Data } from "./data.ts";
import { breakable, copy, h } from "./dom.ts";
import { Graph, type Look } from "./graph.ts";
import { DARK, LIGHT, type Palette, fill } from "./paint.ts";
import { leaks } from "./leaks.ts";
import { Panel, trace } from "./panel.ts";
import { type Answer, Query, type Row, around, change, rows, search, selfOf, threadRows } from "./query.ts";
import { START, type State, Store, type View, parse } from "./state.ts";
import { type Cell, type Column, Table } from "./table.ts";
import { Timeline } from "./timeline.ts";
import type { Tree, Weights } from "./tree.ts";

const VIEWS: [View, string][] = [["flame", "Flame graph"], ["icicle", "Icicle graph"], ["methods", "Methods"], ["classes", "Classes"], ["threads", "Threads"], ["callers", "Callers and callees"]];
const KEYS: [string, string][] = [
  ["↑ ↓", "in a graph: to a callee or back to the caller"], ["← →", "in a graph: to the next box beside it; in the timeline: move the selection"],
  ["Shift ← →", "in the timeline: change the length of the selection"], ["Enter", "zoom into the chosen box"], ["Esc", "zoom out, or select the whole time"],
  ["c", "copy the stack of the chosen box"], ["/", "search"], ["f i m k t b", "flame graph, icicle graph, methods, classes, threads, callers and callees"], ["o", "origins below stacks"], ["?", "these keys"],
];

/** What a table lists, and what a click on a name does. */
interface Listed { what: string; title: string; self: boolean; rows: (answer: Answer) => Row[]; choose: (name: string) => Partial<State> }

const METHODS: Listed = { what: "Method", title: "Methods", self: true, rows: (answer) => rows(answer, false), choose: (method) => ({ method, view: "callers" }) };
const CLASSES: Listed = { what: "Class", title: "Classes", self: false, rows: (answer) => rows(answer, true), choose: (name) => ({ class: name, view: "flame" }) };
const THREADS: Listed = { what: "Thread", title: "Threads", self: false, rows: threadRows, choose: (thread) => ({ thread, view: "flame" }) };

export class Page {
  private readonly query: Query;
  private readonly store: Store;
  private readonly graph: Graph;
  private readonly callers: Graph;
  private readonly callees: Graph;
  private readonly timeline: Timeline;
  private readonly panel = new Panel();
  private readonly methods: Table;
  private readonly classes: Table;
  private readonly threads: Table;
  private readonly tabs = h("div", { role: "tablist", class: "tabs", "aria-label": "Kinds of events" });
  private readonly views = h("div", { class: "segments", role: "group", "aria-label": "View" });
  private readonly controls = h("div", { class: "controls" });
  private readonly when = h("div", { class: "when", role: "status" });
  private readonly found = h("output", { class: "found", for: "search" });
  private readonly body = h("div", { class: "body" });
  private readonly tools = h("div", { class: "tools" });
  private suspects: HTMLElement | undefined;
  private readonly tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private readonly dialog: HTMLDialogElement;
  private readonly input: HTMLInputElement;
  private answer!: Answer;
  private hits: ReturnType<typeof search>;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private printing = false;

  constructor(private readonly data: Data) {
    this.query = new Query(data);
    const first = this.query.shown()[0] ?? 0;
    const start: State = { ...START, kind: data.kinds[first]?.label ?? "", per: data.per?.glob ?? "" };
    this.store = new Store(parse(location.hash, start), start);
    const set = (change: Partial<State>) => this.store.set(change);
    const events = (tree: () => [Tree, Weights], choose: (box: number) => void, zoom: (box: number) => void) => ({
      choose, zoom,
      hover: (box: number | undefined, x: number, y: number) => this.hover(box, x, y, ...tree()),
      copy: (box: number) => void copy(trace(this.data, this.answer, tree()[0], box).map(({ text }) => text).join("\n")),
    });
    this.graph = new Graph("Graph of stacks", events(() => [this.answer.tree, this.answer.weights], (chosen) => set({ chosen }), (zoom) => set({ zoom, chosen: zoom })));
    const jump = (at: () => Tree) => (box: number) => {
      const name = this.answer.groups.name(at().group[box]);
      if (name.sort !== "class" && name.sort !== "root" && name.sort !== "mark") set({ method: name.full });
    };
    this.callers = new Graph("Callers", events(() => this.around(true), jump(() => this.around(true)[0]), () => undefined));
    this.callees = new Graph("Callees", events(() => this.around(false), jump(() => this.around(false)[0]), () => undefined));
    this.timeline = new Timeline((from, to) => set({ from, to }));
    this.methods = new Table(this.query.compared ? 4 : 1);
    this.classes = new Table(this.query.compared ? 3 : 1);
    this.threads = new Table(this.query.compared ? 3 : 1);
    this.input = h("input", { id: "search", type: "search", placeholder: "Search", "aria-label": "Search for methods and classes", autocomplete: "off", spellcheck: "false" }, [], { input: () => set({ search: this.input.value }) });
    this.dialog = h("dialog", { class: "about", "aria-labelledby": "about" });
    this.lay();
    this.store.listen(() => this.draw());
    addEventListener("hashchange", () => this.store.read());
    addEventListener("keydown", (event) => this.key(event));
    this.dark.addEventListener("change", () => this.draw());
    addEventListener("beforeprint", () => { this.printing = true; this.draw(); });
    addEventListener("afterprint", () => { this.printing = false; this.draw(); });
    this.draw();
    document.documentElement.dataset.ready = "true";
  }

  private get state(): State {
    return this.store.state;
  }

  private get palette(): Palette {
    const { theme } = this.state;
    return !this.printing && (theme === "dark" || (theme === "auto" && this.dark.matches)) ? DARK : LIGHT;
  }

  private lay(): void {
    const { data } = this;
    const title = data.sides.length > 1 ? `${data.sides[0].title}, against ${data.sides[1].title}` : data.sides[0].title;
    document.title = `Lucce report: ${title}`;
    const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "quiet", "aria-label": label, title: label }, text, { click: act });
    const header = h("header", {}, [
      h("h1", {}, [h("span", { class: "brand" }, "Lucce"), " report"]), h("p", { class: "run", title }, title),
      button("◐", "Light or dark", () => this.store.set({ theme: this.palette.dark ? "light" : "dark" })), button("?", "About this report, and keys", () => this.dialog.showModal()),
    ]);
    this.tools.append(
      h("section", { class: "time", "aria-label": "Time" }, [this.timeline.canvas, this.when]),
      h("div", { class: "bar-of-tools" }, [this.views, this.controls, h("div", { class: "search" }, [this.input, this.found])]),
    );
    const keys = h("p", { id: "keys", class: "unseen" }, "Arrow keys choose a box, Enter zooms, Escape shows all, c copies the stack.");
    document.body.replaceChildren(
      header,
      h("main", {}, [this.tabs, keys, h("div", { id: "events", class: "events", role: "tabpanel", "aria-label": "Events of the kind" }, [
        this.tools, this.body,
      ])]),
      this.tip, this.dialog,
    );
    this.about();
  }

  private about(): void {
    const { data } = this;
    const runs = data.sides.flatMap((side, at) => side.runs.map((run) => h("dl", { class: "facts" }, ([
      ["Run", data.sides.length > 1 ? (at === 0 ? "new" : "older") : `pid ${run.pid} on ${run.host}`], ["JVM", run.jvm], ["Agent", run.agent], ["Options", run.options || "none"],
      ["Began", new Date(Number(BigInt(run.begin) / 1_000_000n)).toISOString()],
    ] as const).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]))));
    this.dialog.replaceChildren(
      h("h2", { id: "about" }, "About this report"), ...runs,
      h("p", {}, `Written by ${data.writer}. Sums are exact, unless “estimated” stands beside them. A bin of the timeline has ${short(2 ** data.shift, "nanoseconds")}.`),
      h("h2", {}, "Keys"), h("dl", { class: "facts keys" }, KEYS.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
      h("form", { method: "dialog" }, h("button", {}, "Close")),
    );
  }

  private draw(): void {
    const { state } = this;
    const palette = this.palette;
    document.documentElement.dataset.theme = palette.dark ? "dark" : "light";
    this.answer = this.query.answer(this.state);
    this.known = new Map();
    // A fragment may name boxes that are not there.
    const { tree } = this.answer;
    if (this.state.zoom >= tree.length || this.state.chosen >= tree.length) this.store.state = { ...this.state, zoom: 0, chosen: 0 };
    this.hits = search(this.answer, state.search);
    this.drawTabs();
    this.drawTime(palette);
    this.drawControls();
    this.drawBody(palette);
  }

  /** `estimated`, or `exact`. */
  private accuracy(at: number): [string, string] {
    const kind = this.data.kinds[at];
    if (kind.interval !== null) return ["estimated", `Estimates from samples, one every ${short(kind.interval, "bytes")} on average`];
    if (kind.agents && kind.name === "cpu") return ["sampled", "The sum is exact; where it was spent is known from samples"];
    if (kind.agents && kind.name === "profile") return ["estimated", "Estimates from samples of entries"];
    return ["exact", "Every event is counted"];
  }

  private drawTabs(): void {
    const { data, state } = this;
    const ids = this.query.shown();
    const chosen = state.view === "leaks" ? ids.length : ids.indexOf(this.query.kind(state));
    const acts = ids.map((at) => () => this.store.set({ kind: data.kinds[at].label, view: state.view === "leaks" ? "flame" : state.view, class: "", method: "" }));
    const texts = ids.map((at): [string, Amount, string, string, string, string, string?] => {
      const { label, unit } = data.kinds[at];
      const { own, base } = this.query.totals(at);
      const moved = Number(own) - Number(base);
      const [here, before] = data.kinds[at].recorded;
      const change = !this.query.compared ? undefined : !here ? "not in the new run" : !before ? "not in the old run" : (Number(base) === 0 ? "new" : moved === 0 ? "same" : `${moved > 0 ? "+" : ""}${share(moved, base)}`);
      return [label, own, short(own, unit), exact(own, unit), ...this.accuracy(at), change];
    });
    if (data.collections !== null || data.leaks.length > 0) {
      const now = data.leaks.filter((leak) => leak.withdrawn === null).length;
      texts.push(["leaks", now, now === 1 ? "1 suspect" : `${now} suspects`, `${now}`, "estimated", "Bytes and objects are estimates from samples"]);
      acts.push(() => this.store.set({ view: "leaks" }));
    }
    const focused = this.tabs.contains(document.activeElement);
    this.tabs.replaceChildren(...texts.map(([label, own, text, all, accuracy, why, change], at) =>
      h("button", { type: "button", role: "tab", "aria-selected": at === chosen ? "true" : "false", "aria-controls": "events", tabindex: at === chosen ? 0 : -1, title: why }, [
        h("span", { class: "kind" }, label), change && h("span", { class: "moved" }, change), h("data", { value: own.toString(), title: all }, text), h("span", { class: `accuracy ${accuracy}` }, accuracy),
      ], { click: acts[at] })));
    if (focused) (this.tabs.querySelector("[aria-selected=true]") as HTMLElement | null)?.focus();
    this.tabs.onkeydown = (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step !== 0) acts[(chosen + step + acts.length) % acts.length]();
    };
  }

  private drawTime(palette: Palette): void {
    const { state, answer, query } = this;
    const [own, base] = query.timeline(state);
    const bins = own.length;
    const edge = (bin: number) => query.edge(0, bin);
    this.timeline.show({ own, base: answer.compared ? base : undefined, from: state.from, to: Math.min(bins, state.to), palette, edge, bins });
    const unit = this.unit;
    const all = state.to <= state.from;
    const total = answer.total.own;
    const timeless = own.every((sum) => sum === 0);
    const parts: (Node | string)[] = all
      ? ["All of the run: ", this.amount(total), timeless ? ", of which no times are known" : ""]
      : [h("span", { class: "range", "data-from": edge(state.from), "data-to": edge(state.to) }, `${seconds(edge(state.from))} to ${seconds(edge(state.to))}`), ": ", this.amount(total), ` of ${short(answer.whole.own, unit)} `,
        h("button", { type: "button", class: "link" }, "select all", { click: () => this.store.set({ from: 0, to: 0 }) })];
    this.timeline.canvas.hidden = timeless;
    if (answer.compared && answer.divisors.includes(0)) parts.push(" · what sums are divided by is unknown in one of the runs");
    if (!timeless && answer.untimed !== 0 && answer.untimed !== 0n) parts.push(` · ${short(answer.untimed, unit)} without a time${all ? "" : ", in no selection"}`);
    this.when.replaceChildren(...parts);
  }

  private get unit() {
    return this.state.events ? "count" : this.answer.kind.unit;
  }

  private amount(amount: Amount): HTMLElement {
    return h("data", { value: amount.toString(), title: exact(amount, this.unit) }, short(amount, this.unit));
  }

  private drawControls(): void {
    const { state, answer } = this;
    const choose = (view: View, text: string) => h("button", { type: "button", "aria-pressed": state.view === view ? "true" : "false", "data-view": view }, text, { click: () => this.store.set({ view }) });
    const focused = (document.activeElement as HTMLElement | null)?.dataset.view;
    this.views.replaceChildren(...VIEWS.map(([view, text]) => choose(view, text)));
    if (focused) (this.views.querySelector(`[data-view=${focused}]`) as HTMLElement | null)?.focus();
    const check = (key: "origins" | "events", text: string, title: string) => h("label", { title }, [h("input", { type: "checkbox", checked: state[key], id: key }, [], { change: (event: Event) => this.store.set({ [key]: (event.target as HTMLInputElement).checked }) }), text]);
    const select = <K extends "group" | "per">(key: K, label: string, options: [string, string][]) =>
      h("label", {}, [label, h("select", { id: key }, options.map(([value, text]) => h("option", { value, selected: state[key] === value }, text)), { change: (event: Event) => this.store.set({ [key]: (event.target as HTMLSelectElement).value } as Partial<State>) })]);
    const at = (document.activeElement as HTMLElement | null)?.id;
    const counted = this.query.compared ? [...new Set([...this.query.counted(), ...(this.data.per === null ? [] : [this.data.per.glob])])] : [];
    this.controls.replaceChildren(
      ...(this.query.compared
        ? [select("per", "Compare ", [["", "totals"], ["second", "per second"], ...counted.map((name): [string, string] => [name, `per call of ${name}`])])]
        : [select("group", "By ", [["method", "method"], ["line", "line"], ["bci", "instruction"]])]),
      ...(this.query.hasOrigins ? [check("origins", "Origins", "Puts the stacks that submitted a task or started a thread below its own")] : []),
      ...(answer.kind.unit !== "count" ? [check("events", "Number of events", "Counts events in place of adding up their values")] : []),
      ...(["class", "thread"] as const).filter((key) => state[key] !== "").map((key) =>
        h("button", { type: "button", class: "chip", title: `Show all ${key === "class" ? "classes" : "threads"} again` }, `only ${state[key]} ✕`, { click: () => this.store.set({ [key]: "" }) })),
    );
    if (at && ["group", "per", "origins", "events"].includes(at)) document.getElementById(at)?.focus();
    if (this.input.value !== state.search) this.input.value = state.search;
    this.found.replaceChildren(...(this.hits ? [this.amount(this.hits.sum.own), ` ${share(this.hits.sum.own, answer.total.own)}`] : []));
  }

  private known = new Map<boolean, { tree: Tree; weights: Weights }>();

  private around(callers: boolean): [Tree, Weights] {
    let made = this.known.get(callers);
    if (made === undefined) this.known.set(callers, (made = around(this.answer, this.chosenMethod(), callers)));
    return [made.tree, made.weights];
  }

  /** The method of the state, or the one with the largest total. */
  private chosenMethod(): number {
    const named = this.state.method === "" ? undefined : this.answer.groups.named(this.state.method);
    if (named !== undefined) return named;
    const best = rows(this.answer, false).reduce<[number, number]>((best, { group, self }) => (Math.abs(Number(self)) > best[1] ? [group, Math.abs(Number(self))] : best), [0, -1]);
    return best[0];
  }

  private look(tree: Tree, weights: Weights, palette: Palette): (box: number) => Look {
    const { answer } = this;
    const hits = tree === answer.tree ? this.hits?.hits : undefined;
    return (box) => {
      const name = answer.groups.name(tree.group[box]);
      let [colour, hatched] = [fill(palette, name.sort, name.package), false];
      if (answer.compared && weights.base) {
        const pair = { own: weights.total[box], base: weights.base[box] };
        const { change: how, delta } = change(pair, answer.divisors);
        const scale = Math.max(Number(pair.own) / (answer.divisors[0] || 1), Number(pair.base) / (answer.divisors[1] || 1), 1e-300);
        colour = palette.change(how, Math.abs(Number(delta)) / scale);
        hatched = how === "new" || how === "gone";
      }
      const hit = hits?.[box] === 1;
      return { fill: hit ? palette.hit : colour, text: hit ? palette.hitText : palette.text, hatched, italic: name.sort === "mark" || name.walked, dimmed: hits !== undefined && !hit };
    };
  }

  private drawBody(palette: Palette): void {
    const { state, answer, body } = this;
    const { tree, weights } = answer;
    body.className = `body ${state.view}`;
    this.tools.hidden = state.view === "leaks";
    const name = (group: number) => answer.groups.name(group);
    const put = (...parts: HTMLElement[]) => {
      if (parts.length !== body.childElementCount || parts.some((part, at) => body.children[at] !== part)) body.replaceChildren(...parts);
    };
    if (state.view === "leaks") put((this.suspects ??= leaks(this.data)));
    else if (state.view === "flame" || state.view === "icicle") {
      this.panel.show(this.data, answer, tree, weights, state.chosen, this.unit, {
        zoom: () => this.store.set({ zoom: state.chosen }), callers: (method) => this.store.set({ view: "callers", method }), only: (name) => this.store.set({ class: name }),
      });
      put(this.graph.element, this.panel.element);
      this.graph.show({ tree, weights, flame: state.view === "flame", zoom: state.zoom, chosen: state.chosen, palette, name, look: this.look(tree, weights, palette) });
    } else if (state.view === "callers") {
      const method = name(this.chosenMethod());
      const [above, aboveWeights] = this.around(true);
      const [below, belowWeights] = this.around(false);
      this.heading.replaceChildren(h("h2", {}, breakable(method.full)), h("p", {}, ["Total ", this.amount(belowWeights.total[0]), ` ${share(belowWeights.total[0], answer.total.own)}, self `, this.amount(selfOf(answer, this.chosenMethod())), ". A click on a box makes it the middle."]));
      this.halves.replaceChildren(h("h3", {}, "Callers"), this.callers.element, h("h3", {}, "Callees"), this.callees.element);
      put(this.heading, this.halves);
      this.callers.show({ tree: above, weights: aboveWeights, flame: true, zoom: 0, chosen: 0, palette, name, look: this.look(above, aboveWeights, palette) });
      this.callees.show({ tree: below, weights: belowWeights, flame: false, zoom: 0, chosen: 0, palette, name, look: this.look(below, belowWeights, palette) });
    } else {
      const [table, listed] = state.view === "classes" ? [this.classes, CLASSES] : state.view === "threads" ? [this.threads, THREADS] : [this.methods, METHODS];
      this.fillTable(table, listed);
      put(table.element);
    }
  }

  private readonly heading = h("div", { class: "heading" });
  private readonly halves = h("div", { class: "halves" });

  private fillTable(table: Table, { what, title, self: hasSelf, rows, choose }: Listed): void {
    const { answer, state, unit } = this;
    const wanted = state.search.toLowerCase();
    const all = Math.abs(Number(answer.total.own));
    const cell = (amount: Amount, bar = false): Cell => ({ sort: amount, text: short(amount, unit), value: amount.toString(), exact: exact(amount, unit), bar: bar && all > 0 ? Math.abs(Number(amount)) / all : undefined });
    const columns: Column[] = [{ title: what, number: false }];
    const name = (row: Row) => (what === "Thread" ? this.data.strings[row.group] : answer.groups.name(row.group).full);
    const per = !answer.compared || state.per === "" ? "" : state.per === "second" ? " per second" : " per call";
    if (answer.compared) columns.push(...[`New${per}`, `Old${per}`, `Change${per}`, ...(hasSelf ? ["Own change"] : [])].map((title) => ({ title, number: true })), { title: "State", number: false });
    else columns.push({ title: hasSelf ? "Total" : "Sum", number: true }, { title: "Share", number: true }, ...(hasSelf ? [{ title: "Self", number: true }, { title: "Share", number: true }] : []));
    const lines = rows(answer).filter((row) => wanted === "" || name(row).toLowerCase().includes(wanted)).map((row) => {
      const full = name(row);
      const act = () => this.store.set(choose(full));
      const cells: Cell[] = [{ sort: full, text: full }];
      if (answer.compared) {
        const { change: how, delta } = change(row, answer.divisors);
        const [own, old] = per === "" ? [row.own, row.base] : [Number(row.own) / answer.divisors[0], Number(row.base) / answer.divisors[1]];
        const moved = (delta: Amount, tone: string): Cell => ({ sort: Math.abs(Number(delta)), text: `${Number(delta) > 0 ? "+" : ""}${short(delta, unit)}`, value: delta.toString(), tone });
        cells.push(cell(own), cell(old), moved(delta, how));
        if (hasSelf) {
          const self = change({ own: row.self, base: row.baseSelf }, answer.divisors);
          cells.push(moved(self.delta, self.change));
        }
        cells.push({ sort: how, text: how });
      } else {
        const part = (amount: Amount): Cell => ({ sort: amount, text: share(amount, answer.total.own) });
        cells.push(cell(row.own, true), part(row.own));
        if (hasSelf) cells.push(cell(row.self, true), part(row.self));
      }
      return { cells, act };
    });
    table.show(columns, lines, title);
  }

  private hover(box: number | undefined, x: number, y: number, tree: Tree, weights: Weights): void {
    const { tip, answer, unit } = this;
    if (box === undefined) return void (tip.hidden = true);
    const pair = { own: weights.total[box], base: weights.base?.[box] ?? 0 };
    const lines = [`${short(pair.own, unit)} ${share(pair.own, answer.total.own)}`];
    if (answer.compared) {
      const { change: how, delta } = change(pair, answer.divisors);
      lines.push(`${how}, ${Number(delta) > 0 ? "+" : ""}${short(delta, unit)} against ${short(pair.base, unit)}`);
    } else if (box > 0 && Number(weights.self[box]) !== 0) lines.push(`self ${short(weights.self[box], unit)}`);
    tip.replaceChildren(h("strong", {}, answer.groups.name(tree.group[box]).full), ...lines.map((line) => h("div", {}, line)));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - width - 8))}px`;
    tip.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
  }

  private key(event: KeyboardEvent): void {
    const typing = /^(input|select|textarea)$/i.test((event.target as HTMLElement).tagName) && (event.target as HTMLInputElement).type !== "checkbox";
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog.open) return;
    if (typing) {
      if (event.key === "Escape" && event.target === this.input) this.store.set({ search: "" });
      return;
    }
    const views: Record<string, View> = { f: "flame", i: "icicle", m: "methods", k: "classes", t: "threads", b: "callers" };
    if (event.key === "/") this.input.focus();
    else if (event.key === "?") this.dialog.showModal();
    else if (event.key === "o" && this.query.hasOrigins) this.store.set({ origins: !this.state.origins });
    else if (views[event.key]) this.store.set({ view: views[event.key] });
    else return;
    event.preventDefault();
  }
}
