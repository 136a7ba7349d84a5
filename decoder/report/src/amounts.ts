// Amounts: exact sums of any size, and how they read.
// Invariant: all amounts of a kind are of one type. Where sums may pass 2^53 they are BigInts, so that no sum is rounded before it is written.

export type Amount = number | bigint;
/** Amounts by number: a Float64Array, or BigInts. */
export type Amounts = { [at: number]: Amount; readonly length: number };
export type Unit = "bytes" | "nanoseconds" | "count";

export const zeros = (length: number, big: boolean): Amounts => (big ? new Array<bigint>(length).fill(0n) : new Float64Array(length));
export const zero = (big: boolean): Amount => (big ? 0n : 0);

/** JavaScript's operators take two numbers or two BigInts; TypeScript has no type for that. */
export const add = (one: Amount, other: Amount): Amount => ((one as number) + (other as number)) as Amount;
export const minus = (one: Amount, other: Amount): Amount => ((one as number) - (other as number)) as Amount;
export const abs = (amount: Amount): Amount => (amount < 0 ? -amount : amount);
export const compare = (one: Amount, other: Amount): number => (one < other ? -1 : one > other ? 1 : 0);

/** `1 234 567`, with narrow blanks. */
export function whole(amount: Amount): string {
  const digits = (amount < 0 ? -amount : amount).toString();
  return (amount < 0 ? "−" : "") + digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const TIMES: [number, string][] = [[86_400e9, "d"], [3_600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/** To three digits, with its unit. */
export function short(amount: Amount, unit: Unit): string {
  const number = Number(amount);
  if (!Number.isFinite(number)) return "unknown here";
  const size = Math.abs(number);
  const sign = number < 0 ? "−" : "";
  if (unit === "bytes") {
    let [scaled, at] = [size, 0];
    while (scaled >= 999.5 && at + 1 < BYTES.length) [scaled, at] = [scaled / 1024, at + 1];
    return `${sign}${at === 0 && Number.isInteger(scaled) ? scaled : digits(scaled)} ${BYTES[at]}`;
  }
  if (unit === "nanoseconds") {
    const [factor, name] = TIMES.find(([factor, name]) => size >= factor * (name === "min" || name === "h" || name === "d" ? 2 : 1)) ?? [1, "ns"];
    return `${sign}${factor === 1 && Number.isInteger(size) ? size : digits(size / factor)} ${name}`;
  }
  if (Number.isInteger(number) && size < 1e6) return whole(number);
  for (const [factor, name] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"]] as const) {
    if (size >= factor) return `${sign}${digits(size / factor)} ${name}`;
  }
  return sign + digits(size);
}

function digits(number: number): string {
  return number >= 99.95 ? String(Math.round(number)) : number >= 9.995 ? number.toFixed(1) : number >= 0.0005 || number === 0 ? number.toFixed(number >= 1 ? 2 : 3) : number.toExponential(1);
}

/** All digits, with the unit's name. */
export const exact = (amount: Amount, unit: Unit): string =>
  unit === "count" ? whole(amount) : `${whole(amount)} ${unit}`;

/** Of a whole, in percent; empty where there is none. */
export function share(part: Amount, of: Amount): string {
  const [one, all] = [Number(part), Number(of)];
  if (all === 0) return "";
  const percent = (100 * one) / all;
  const size = Math.abs(percent);
  return size > 0 && size < 0.05 ? "<0.1 %" : `${percent < 0 ? "−" : ""}${size.toFixed(1)} %`;
}

/** A time within the run. */
export const seconds = (ns: number): string => `${(ns / 1e9).toFixed(3)} s`;
