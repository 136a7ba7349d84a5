// What is looked at: all of it stands in the fragment of the address, so that a link or a bookmark shows the same again.
// Invariant: what cannot be read in a fragment is as if it were not there.

export type View = "flame" | "icicle" | "methods" | "classes" | "threads" | "callers" | "leaks";
export type Group = "method" | "line" | "bci";
export type Theme = "auto" | "light" | "dark";

export interface State {
  kind: string;
  view: View;
  group: Group;
  /** Stacks that submitted a task or started a thread stand below its own. */
  origins: boolean;
  /** Numbers of events in place of their values. */
  events: boolean;
  /** Only of this class. */
  class: string;
  /** Only of this thread. */
  thread: string;
  /** The method of callers and callees. */
  method: string;
  search: string;
  /** The first bin, and the one behind the last; both 0 for all. */
  from: number;
  to: number;
  /** The box that fills the width, and the chosen one. */
  zoom: number;
  chosen: number;
  /** What sums are divided by in a comparison: nothing, the length of a run, or the invocations of a method. */
  per: string;
  theme: Theme;
}

export const START: State = {
  kind: "", view: "flame", group: "method", origins: false, events: false, class: "", thread: "", method: "", search: "",
  from: 0, to: 0, zoom: 0, chosen: 0, per: "", theme: "auto",
};

const CHOICES: Partial<Record<keyof State, readonly string[]>> = {
  view: ["flame", "icicle", "methods", "classes", "threads", "callers", "leaks"], group: ["method", "line", "bci"], theme: ["auto", "light", "dark"],
};

export function parse(fragment: string, start: State): State {
  const state: Record<string, unknown> = { ...start };
  for (const [key, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const usual = START[key as keyof State];
    if (typeof usual === "number") {
      if (/^\d{1,9}$/.test(text)) state[key] = Number(text);
    } else if (typeof usual === "boolean") {
      state[key] = text === "1";
    } else if (typeof usual === "string") {
      if (CHOICES[key as keyof State]?.includes(text) ?? true) state[key] = text;
    }
  }
  return state as unknown as State;
}

export function fragment(state: State, start: State): string {
  const parts = new URLSearchParams();
  for (const key of Object.keys(START) as (keyof State)[]) {
    const value = state[key];
    if (value !== start[key]) parts.set(key, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  return parts.toString();
}

/** What decides which boxes there are. */
const TREE: (keyof State)[] = ["kind", "group", "origins", "class", "thread"];

/** The state, and who is told when it changes. */
export class Store {
  private readonly listeners: (() => void)[] = [];
  private waiting = false;

  constructor(public state: State, private readonly start: State) {}

  /** Listeners are called once before the next picture, whatever has changed until then. */
  set(change: Partial<State>): void {
    // Boxes are numbered anew in another tree.
    if (TREE.some((key) => key in change) && !("zoom" in change)) change = { ...change, zoom: 0, chosen: 0 };
    if ((Object.keys(change) as (keyof State)[]).every((key) => change[key] === this.state[key])) return;
    this.state = { ...this.state, ...change };
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const text = fragment(this.state, this.start);
      history.replaceState(null, "", text === "" ? location.pathname + location.search : `#${text}`);
      this.listeners.forEach((listener) => listener());
    });
  }

  /** The address has been changed by hand, or back was pressed. */
  read(): void {
    this.set(parse(location.hash, this.start));
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }
}
