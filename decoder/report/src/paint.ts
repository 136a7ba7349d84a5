// Colours of boxes, in light and in dark.
// Invariant: a box's text has a contrast of at least 4.5 to its fill, in both, unless a search dims the box. Grown and shrunk are orange and blue, which all eyes tell apart.
import type { Sort } from "./names.ts";
import type { Change } from "./query.ts";

export interface Palette {
  dark: boolean; text: string; muted: string; background: string; line: string; accent: string; hit: string; hitText: string; bar: string; barOff: string;
  own: string[]; sorts: Record<Exclude<Sort, "own">, string>;
  change: (change: Change, strength: number) => string;
}

/** Hues that stand apart without being loud. */
const HUES = [62, 85, 130, 165, 200, 235, 265, 300];

const palette = (dark: boolean): Palette => {
  const fill = (hue: number, chroma: number, light = 0) => `oklch(${(dark ? 0.4 : 0.885) + light} ${chroma} ${hue})`;
  return {
    dark,
    text: dark ? "#eceef0" : "#1b1d20", muted: dark ? "#a4abb3" : "#5a6068", background: dark ? "#15171a" : "#ffffff", line: dark ? "#2c3035" : "#dfe2e6",
    accent: dark ? "#7fb3f5" : "#1d5fae", hit: dark ? "#d9a514" : "#ffd84d", hitText: "#1b1d20", bar: dark ? "#5f8fcb" : "#5a8fcf", barOff: dark ? "#33383f" : "#cfd5dc",
    own: HUES.map((hue) => fill(hue, dark ? 0.055 : 0.06)),
    sorts: {
      root: dark ? "#2b3036" : "#e4e7eb", jdk: dark ? "#33383e" : "#e9ebee", native: dark ? "#2a2e33" : "#dcdfe3",
      mark: dark ? "oklch(0.34 0.06 295)" : "oklch(0.93 0.045 295)", class: dark ? "oklch(0.44 0.075 85)" : "oklch(0.93 0.075 95)",
    },
    change(change, strength) {
      if (change === "same") return dark ? "#33383e" : "#e9ebee";
      const hue = change === "grown" || change === "new" ? 50 : 250;
      const s = change === "new" || change === "gone" ? 1 : 0.15 + 0.85 * Math.min(1, strength);
      return dark ? `oklch(${0.34 + 0.12 * s} ${0.13 * s} ${hue})` : `oklch(${0.95 - 0.2 * s} ${0.13 * s} ${hue})`;
    },
  };
};

export const LIGHT = palette(false);
export const DARK = palette(true);

/** The fill of a box: packages of one organisation and project have one hue. */
export function fill(palette: Palette, sort: Sort, packageName: string): string {
  if (sort !== "own") return palette.sorts[sort];
  const project = packageName.split(".").slice(0, 3).join(".");
  let hash = 7;
  for (let at = 0; at < project.length; at++) hash = (hash * 31 + project.charCodeAt(at)) >>> 0;
  return palette.own[hash % palette.own.length];
}
